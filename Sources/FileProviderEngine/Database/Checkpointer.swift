import CSQLite
import Glibc
import LinuxSystem

/// Brings what was committed from the log of a database into its file, on a thread of its own, so that whoever writes does not
/// wait for the disk. Only where the log grows faster than that, the writer waits.
final class Checkpointer: Sendable {
    /// From these sizes of the log on, in bytes.
    private static let wanted = 4 << 20
    private static let tooLarge = 32 << 20

    private let pageSize: Int
    private let shared: Shared

    /// Watches a connection's commits.
    ///
    /// - Parameter writer: the only connection that writes; it must not outlive this object.
    init(path: String, _ writer: DatabaseConnection) throws(IndexFailure) {
        pageSize = Int(try writer.number("PRAGMA page_size"))
        let connection = try DatabaseConnection(path: path, .reading, cache: 64 << 10)
        shared = Shared(connection)
        // In place of the checkpoints that the writing connection would do itself.
        _ = sqlite3_wal_hook(
            writer.raw,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Shared>.fromOpaque(context).takeUnretainedValue().pages.withLock { $0 = Int(pages) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(shared).toOpaque())
        do {
            try SystemThread.start("purvey-log") { [shared] in shared.run() }
        } catch {
            throw .system("No thread can be had: \(error)")
        }
    }

    /// To be called after each commit, outside of transactions.
    func noteCommit() {
        let size = shared.pages.withLock { $0 } * pageSize
        guard size > Self.wanted else { return }
        shared.ask(andWait: size > Self.tooLarge)
    }

    /// Ends the thread and closes its connection; comes back when that is done.
    func stop() { shared.stop() }

    /// What the thread and the writer have in common.
    private final class Shared: @unchecked Sendable {
        // Sendable: the connection is used by the thread alone, which lets go of it at its end; the condition and its mutex are
        // allocations of their own that only pthread calls touch; `asked`, `done` and `isStopped` are read and written
        // with the mutex held.
        private var connection: DatabaseConnection?
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let changed: UnsafeMutablePointer<pthread_cond_t>
        private var asked = 0
        private var done = 0
        private var isStopped = false
        private var hasEnded = false
        /// Pages in the log after the last commit. Innermost.
        let pages = Lock(0)

        init(_ connection: DatabaseConnection) {
            self.connection = connection
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            changed = .allocate(capacity: 1)
            pthread_cond_init(changed, nil)
        }

        deinit {
            pthread_cond_destroy(changed)
            changed.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func ask(andWait waits: Bool) {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            // One that is under way may have begun before the commit.
            if waits || asked == done { asked += 1 }
            let wanted = asked
            pthread_cond_broadcast(changed)
            while waits, done < wanted, !hasEnded { pthread_cond_wait(changed, mutex) }
        }

        func stop() {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            isStopped = true
            pthread_cond_broadcast(changed)
            while !hasEnded { pthread_cond_wait(changed, mutex) }
        }

        func run() {
            pthread_mutex_lock(mutex)
            while !isStopped {
                guard done < asked else {
                    pthread_cond_wait(changed, mutex)
                    continue
                }
                let number = asked
                pthread_mutex_unlock(mutex)
                // What fails here is tried again with the next commit, and what is damaged says so to whoever reads it.
                if let connection {
                    sqlite3_wal_checkpoint_v2(connection.raw, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                pthread_mutex_lock(mutex)
                done = number
                pthread_cond_broadcast(changed)
            }
            connection = nil
            hasEnded = true
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
    }
}
