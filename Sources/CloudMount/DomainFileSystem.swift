import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import LinuxSystem
internal import MountTakeover

/// The FUSE file system of one domain. It replies to a request with data from the index and from open files, or passes
/// the request to the engine, which replies later. No function blocks.
///
/// The functions that serve requests are in extensions, one file for each subject.
final class DomainFileSystem: FileSystem {
    let engine: DomainEngine
    let index: Index
    let files: HandleTable
    let removed = UnlinkedItems()
    let stale = StaleHandleRetries()
    let notifications: Notifications
    let readers: ReaderPolicies
    let thumbnails: ThumbnailFiller?
    /// The owner of every item: the user that the daemon runs as.
    let owner = getuid()
    let group = getgid()
    let trashName = TrashName(of: getuid())

    // Leaf lock. `session` is set from the session's start to its end. During that time, the session retains this
    // object.
    private let current = Lock(State())

    private struct State {
        var session: Session?
        /// Whether files may use passthrough.
        var passes = false
    }

    private let hasEnded: @Sendable () -> Void

    /// Creates the file system of a domain.
    ///
    /// - Parameters:
    ///   - sharedTable: The table in which handles are recorded. After a takeover it already has the open handles.
    ///   - folderLimit: The maximum number of directories whose cached entries are tracked; see ``Notifications``.
    ///   - hasEnded: Called when the session has ended.
    init(
        _ engine: DomainEngine, readers: ReaderPolicies, thumbnails: ThumbnailFiller?,
        sharedTable: SharedHandleTable? = nil,
        folderLimit: Int = Notifications.folderLimit, hasEnded: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.readers = readers
        self.thumbnails = thumbnails
        self.hasEnded = hasEnded
        index = engine.index
        files = HandleTable(sharedTable)
        notifications = Notifications(files, trashName, folderLimit: folderLimit)
    }

    var session: Session? { current.withLock { $0.session } }

    /// The session, if its files may use passthrough; `nil` otherwise.
    var passingSession: Session? { current.withLock { $0.passes ? $0.session : nil } }

    func start(_ session: Session) {
        let passes = session.passthroughIsPermitted
        current.withLock { $0 = State(session: session, passes: passes) }
        notifications.begin(with: session)
        engine.perform { $0.partials.sharePages() }
        engine.onEvent { [notifications] event in notifications.take(event) }
        // The previous daemon may have died before it notified the kernel of a change, so the attributes of all open
        // items are invalidated. Without the right to passthrough, no backing file is looked up, because each look-up
        // would wait for a helper that does not reply.
        for number in resumeHandles(backing: { passes ? session.backing(numbered: $0) : nil }) {
            session.invalidateAttributes(of: number.node)
        }
    }

    /// Resumes the handles that were open before this process took over the mount.
    ///
    /// - Parameter find: Returns an object for the kernel's backing file with the given identifier. The backing file is
    ///   closed when the object is released.
    /// - Returns: The items that are open according to the table.
    @discardableResult
    func resumeHandles(backing find: (Int32) -> BackingFile?) -> Set<ItemNumber> {
        var items: [UInt64: (OpenHandle, IndexedItem)] = [:]
        for (handle, item) in engine.takeResumed() {
            // A file that was removed or replaced may have no row.
            let known = try? index.itemEvenIfDeleted(item.number)
            if let row = known ?? item.descriptor.flatMap({ IndexedItem(of: item.number, $0) }) {
                items[handle] = (item, row)
            } else {
                item.close()
            }
        }
        // Each identifier is looked up once. The backing files that no handle uses are closed when this function
        // returns.
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
    /// Calls a function, and replies with its result or with the error that it throws.
    func reply(trying body: () throws(Errno) -> Content) {
        do throws(Errno) {
            reply(try body())
        } catch {
            fail(error)
        }
    }
}
