import CSQLite
import Glibc
import LinuxSystem

/// Moves committed pages from a database's write-ahead log to the database file, on its own thread, so that the writing
/// thread does not wait for the disk. The writing thread waits only if the log grows faster than it is emptied.
final class Checkpointer: Sendable {
    /// The size of the log in bytes above which a checkpoint is started, and the size above which the writing thread
    /// waits for the checkpoint.
    private static let wanted = 4 << 20
    private static let tooLarge = 32 << 20

    private let pageSize: Int
    private let shared: HookContext

    /// Starts to watch the commits of a connection.
    ///
    /// - Parameter writer: The only connection that writes. It must not outlive this object.
    init(path: String, _ writer: DatabaseConnection) throws(IndexError) {
        pageSize = Int(try writer.number("PRAGMA page_size"))
        let connection = try DatabaseConnection(path: path, .reading, cache: 64 << 10)
        shared = HookContext(connection)
        // This replaces the automatic checkpoints of the writing connection.
        _ = sqlite3_wal_hook(
            writer.raw,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<HookContext>.fromOpaque(context).takeUnretainedValue().pages.withLock { $0 = Int(pages) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(shared).toOpaque())
        do {
            try SystemThread.start("purvey-log") { [shared] in shared.run() }
        } catch {
            throw .system("No thread can be started: \(error)")
        }
    }

    /// Starts a checkpoint if the log is large enough. Called after each commit, outside of transactions.
    func noteCommit() {
        let size = shared.pages.withLock { $0 } * pageSize
        guard size > Self.wanted else { return }
        shared.ask(andWait: size > Self.tooLarge)
    }

    /// Ends the checkpoint thread and closes its connection. Returns when both are done.
    func stop() { shared.stop() }

    /// The state that the checkpoint thread and the writing thread share. Also the context of the commit hook of the
    /// writing connection.
    private final class HookContext: @unchecked Sendable {
        // Sendable: only the checkpoint thread uses the connection, and releases it at its end. The condition and its
        // mutex are separate allocations that only pthread calls touch. `asked`, `done`, `isStopped` and `hasEnded`
        // are read and written with the mutex held.
        private var connection: DatabaseConnection?
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let changed: UnsafeMutablePointer<pthread_cond_t>
        private var asked = 0
        private var done = 0
        private var isStopped = false
        private var hasEnded = false
        /// The number of pages in the log after the last commit. Leaf lock.
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
            // A running checkpoint may have started before the commit, so a thread that waits requests another one.
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
                // A checkpoint that fails is repeated after the next commit. Damage is reported to the next reader.
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
