import FileProviderEngine
import Fuse
import Glibc
internal import Keeping
import LinuxSystem

/// One domain as the kernel sees it: every request is answered from the index and from open files, or handed to the engine,
/// which answers later. No function waits.
///
/// Requests are in the files named after what they are about.
final class DomainFileSystem: FileSystem {
    let engine: DomainEngine
    let index: Index
    let files: OpenFiles
    let removed = RemovedItems()
    let stale = StaleOpenings()
    let notifications: Notifications
    let readers: ReaderPolicies
    let thumbnails: ThumbnailFiller?
    /// Whom everything belongs to: the user that the daemon runs as.
    let owner = getuid()
    let group = getgid()

    // Innermost. From the start of the session to its end; the session holds on to this object meanwhile.
    private let current = Lock(State())

    private struct State {
        var session: Session?
        /// Whether files may be passed through.
        var passes = false
    }

    private let hasEnded: @Sendable () -> Void

    /// - Parameters:
    ///   - ledger: where openings are written down, and are already where the mount is gone on with.
    ///   - folderLimit: of how many folders it is known what the kernel keeps.
    ///   - hasEnded: called when nothing is mounted any more.
    init(
        _ engine: DomainEngine, readers: ReaderPolicies, thumbnails: ThumbnailFiller?, ledger: OpeningLedger? = nil,
        folderLimit: Int = Notifications.folderLimit, hasEnded: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.readers = readers
        self.thumbnails = thumbnails
        self.hasEnded = hasEnded
        index = engine.index
        files = OpenFiles(ledger)
        notifications = Notifications(files, folderLimit: folderLimit)
    }

    var session: Session? { current.withLock { $0.session } }

    /// The session, if files may be passed through in it.
    var passingSession: Session? { current.withLock { $0.passes ? $0.session : nil } }

    func start(_ session: Session) {
        let passes = session.passthroughIsPermitted
        current.withLock { $0 = State(session: session, passes: passes) }
        notifications.begin(with: session)
        engine.perform { $0.sharePages() }
        engine.onEvent { [notifications] event in notifications.take(event) }
        // The last process may have died before it told of a change.
        // Where the right has gone, it is not looked for again with each file: a helper that does not answer is waited for.
        for number in resumeOpenings(backing: { passes ? session.backing(numbered: $0) : nil }) {
            session.invalidateAttributes(of: number.node)
        }
    }

    /// Goes on with what programs have open since before this process, in a mount that has outlived the one before.
    ///
    /// - Parameter find: makes the object of a backing file that the kernel has, with which it goes.
    /// - Returns: what is open.
    @discardableResult
    func resumeOpenings(backing find: (Int32) -> BackingFile?) -> Set<ItemNumber> {
        var items: [UInt64: (OpenItem, IndexedItem)] = [:]
        for (handle, item) in engine.takeResumed() {
            // A file that was removed or replaced may have no row.
            let known = try? index.itemEvenIfDeleted(item.number)
            if let row = known ?? item.descriptor.flatMap({ IndexedItem(of: item.number, $0) }) {
                items[handle] = (item, row)
            } else {
                item.close()
            }
        }
        // Each number once. Those that no opening goes on with go when this returns.
        var backing: [Int32: BackingFile] = [:]
        return files.resume(items) { number in
            if backing[number] == nil { backing[number] = find(number) }
            return backing[number]
        }
    }

    func end() {
        thumbnails?.close()
        engine.onEvent(nil)
        notifications.end()
        for opening in files.takeAll() { opening.item.close { _ in } }
        removed.removeAll()
        stale.removeAll()
        current.withLock { $0 = State() }
        hasEnded()
    }
}

extension Reply {
    /// Answers with what a function returns, or with the error that it throws.
    func reply(trying body: () throws(Errno) -> Content) {
        do throws(Errno) {
            reply(try body())
        } catch {
            fail(error)
        }
    }
}
