import FileProviderEngine
import Fuse
import LinuxSystem

/// What the kernel was given to keep, and how it is told that it does not hold any more.
///
/// Pages of files are no part of this: whether they hold is decided at each opening (``OpenFiles``).
final class Notifications: Sendable {
    private struct State {
        var session: Session?
        /// Folders in which the kernel may have kept that a name does not exist; `nil` where there are too many: then it is all.
        var denying: Set<ItemNumber>? = []
        /// Folders whose entries the kernel may have kept, and whether these hold.
        var folders: [ItemNumber: Bool] = [:]
        /// The folder that was asked for a name last, and how often without another, or a new opening of it, in between.
        var lookups: (folder: ItemNumber, count: Int)?
        /// Changes are the kernel's own.
        var isSilent = false
    }

    private let files: OpenFiles
    // Innermost: the session is told after it is released.
    private let state = Lock(State())

    /// After so many folders, all are taken to be changed, and names to be denied in all of them.
    private let folderLimit: Int
    static let folderLimit = 100_000

    init(_ files: OpenFiles, folderLimit: Int) {
        self.files = files
        self.folderLimit = folderLimit
    }

    func begin(with session: Session) { state.withLock { $0.session = session } }

    func end() { state.withLock { $0 = State() } }

    /// From now on the kernel may be told that names do not exist in a folder.
    func willDeny(namesIn folder: ItemNumber) {
        state.withLock { state in
            state.denying?.insert(folder)
            if let count = state.denying?.count, count > folderLimit { state.denying = nil }
        }
    }

    /// A folder is opened whose entries the kernel keeps.
    ///
    /// - Returns: whether those from earlier openings hold.
    func openedFolder(_ folder: ItemNumber) -> Bool {
        state.withLock { state in
            if state.folders.count >= folderLimit { state.folders.removeAll() }
            if state.lookups?.folder == folder { state.lookups = nil }
            return state.folders.updateValue(true, forKey: folder) ?? false
        }
    }

    /// After so many lookups in a folder, one after the other, somebody goes through all of it.
    private static let lookupLimit = 64

    /// The kernel has asked for a name in a folder, and there is one.
    ///
    /// What it keeps of a folder's entries are their names alone. Who wants more of each than that, as `ls -l` does, has it
    /// ask for one after the other; without them it asks for many at a time, with all that there is to know.
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

    /// Runs an edit that the kernel asked for, on the engine's thread: what changes in the index by it, the kernel knows.
    func withoutTelling<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        state.withLock { $0.isSilent = true }
        defer { state.withLock { $0.isSilent = false } }
        return try body()
    }

    /// Takes what the engine tells, on its thread.
    func take(_ event: EngineEvent) {
        switch event {
        case .index(let changes): take(changes)
        case .contentsReplaced(let number): session?.invalidate(number.node, offset: 0, length: 0)
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
                // At once: after `purvey evict` has ended, stat(2) must not show blocks that are gone.
                //
                // The kernel ignores an attribute reply that is in flight at this moment. A reader that waits for the contents needs
                // the size in its reply.
                if !files.isAskedForAnew(number) { session.invalidateAttributes(of: number.node) }
            }
        }
        // What the kernel keeps of a folder's entries goes with its pages.
        for folder in folders { session.invalidate(folder.node, offset: 0, length: 0) }
    }
}
