import FileProviderEngine
import Fuse
import ItemStore
import LinuxSystem

/// The record of the names and directory entries that the kernel may have cached. The cached names and entries are
/// invalidated when the index changes.
///
/// The record does not include file contents in the page cache. The reply to each open states whether these are still
/// valid (``HandleTable``).
final class Notifications: Sendable {
    private struct State {
        var session: Session?
        /// Directories for which the kernel may have cached that a name does not exist (negative entries). `nil` means
        /// all directories, because there were too many to track.
        var denying: Set<ItemNumber>? = []
        /// Directories whose entries the kernel may have cached. The value is whether the cached entries are still
        /// valid.
        var folders: [ItemNumber: Bool] = [:]
        /// The directory of the last lookups, and the count of consecutive lookups in it. The count restarts with a
        /// lookup in another directory or with a new open of this directory.
        var lookups: (folder: ItemNumber, count: Int)?
        /// Whether the kernel requested the changes that are being made. If so, the kernel is not notified of them.
        var isSilent = false
    }

    private let files: HandleTable
    private let trashName: TrashName
    // Leaf lock: the kernel is notified only after the lock is released.
    private let state = Lock(State())

    /// The maximum number of directories in each record. If the limit for cached entries is reached, all cached entries
    /// count as outdated. If the limit for negative entries is exceeded, every directory counts as having negative
    /// entries.
    private let folderLimit: Int
    static let folderLimit = 100_000

    init(_ files: HandleTable, _ trashName: TrashName, folderLimit: Int) {
        self.files = files
        self.trashName = trashName
        self.folderLimit = folderLimit
    }

    func begin(with session: Session) { state.withLock { $0.session = session } }

    func end() { state.withLock { $0 = State() } }

    /// Records that from now on the kernel may cache negative entries for names in the given directory.
    func willDeny(namesIn folder: ItemNumber) {
        state.withLock { state in
            state.denying?.insert(folder)
            if let count = state.denying?.count, count > folderLimit { state.denying = nil }
        }
    }

    /// Records that the given directory is opened, and that the kernel caches its entries.
    ///
    /// - Returns: Whether the entries that the kernel cached at an earlier open are still valid.
    func openedFolder(_ folder: ItemNumber) -> Bool {
        state.withLock { state in
            if state.folders.count >= folderLimit { state.folders.removeAll() }
            if state.lookups?.folder == folder { state.lookups = nil }
            return state.folders.updateValue(true, forKey: folder) ?? false
        }
    }

    /// The number of consecutive lookups in a directory after which a program is assumed to access all of its entries.
    private static let lookupLimit = 64

    /// Records that the kernel looked up an existing name in a directory. After ``lookupLimit`` consecutive lookups,
    /// drops the directory's entries from the kernel's cache.
    ///
    /// The kernel caches only the names of a directory's entries. If a program needs the attributes of each entry, as
    /// `ls -l` does, the kernel looks up one entry after the other. Without cached entries, it uses FUSE_READDIRPLUS,
    /// which returns many entries with attributes.
    func lookedUp(in folder: ItemNumber) {
        let session = state.withLock { state -> Session? in
            let count = state.lookups.map { $0.folder == folder ? $0.count + 1 : 1 } ?? 1
            state.lookups = (folder, count)
            guard count == Self.lookupLimit, state.folders[folder] == true else { return nil }
            state.folders[folder] = false
            return state.session
        }
        session?.invalidate(folder.node, offset: 0, length: 0)
    }

    /// Runs an edit that the kernel requested, on the engine's thread. Sends no notifications, because the kernel knows
    /// the effects of its own request.
    func withoutInvalidating<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        state.withLock { $0.isSilent = true }
        defer { state.withLock { $0.isSilent = false } }
        return try body()
    }

    /// Notifies the kernel of an event of the engine. Called on the engine's thread.
    func take(_ event: EngineEvent) {
        switch event {
        case .index(let changes): take(changes)
        case .contentsReplaced(let number): session?.invalidate(number.node, offset: 0, length: 0)
        case .trashSupportChanged:
            // The name of the trash in the root now refers to another node, or to none.
            state.withLock { if $0.folders[.root] != nil { $0.folders[.root] = false } }
            for name in [trashName.own, trashName.other] { session?.invalidateEntry(Name(name), in: .root) }
            session?.invalidate(.root, offset: 0, length: 0)
        }
    }

    private var session: Session? { state.withLock { $0.session } }

    private func take(_ changes: [IndexChange]) {
        var touched: Set<ItemNumber> = []
        for change in changes {
            switch change {
            case .added(_, let parent, _), .removed(_, let parent, _): touched.insert(parent)
            case .moved(_, let oldParent, _, let newParent, _): touched.formUnion([oldParent, newParent])
            case .changed: break
            }
        }
        let told = state.withLock { state -> (Session, Set<ItemNumber>, [ItemNumber])? in
            let kept = touched.filter { state.folders[$0] != nil }
            for folder in kept { state.folders[folder] = false }
            guard let session = state.session, !state.isSilent else { return nil }
            return (session, state.denying?.intersection(touched) ?? touched, Array(touched))
        }
        guard let (session, denying, folders) = told else { return }
        for change in changes {
            switch change {
            case .added(_, let parent, let name):
                if denying.contains(parent) { session.invalidateEntry(Name(name), in: parent.node) }
            case .removed(_, let parent, let name):
                session.invalidateEntry(Name(name), in: parent.node)
            case .moved(let number, let oldParent, let oldName, let newParent, let newName):
                session.invalidateEntry(Name(oldName), in: oldParent.node)
                if denying.contains(newParent) { session.invalidateEntry(Name(newName), in: newParent.node) }
                session.invalidateAttributes(of: number.node)
            case .changed(let number, _):
                // The notification is sent at once, because after `purvey evict` has ended, stat(2) must not show
                // blocks that are gone.
                //
                // The kernel then ignores an attribute reply that is in flight. A reader that waits for the contents
                // needs the size in such a reply. Therefore no notification is sent if the kernel caches no attributes
                // of the file.
                if !files.isAskedForAnew(number) { session.invalidateAttributes(of: number.node) }
            }
        }
        // The kernel stores a directory's entries in the page cache. Therefore dropping the directory's pages drops the
        // entries.
        for folder in folders { session.invalidate(folder.node, offset: 0, length: 0) }
    }
}
