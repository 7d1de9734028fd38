import FileProviderWire
import Glibc
import ItemStore
import LinuxSystem

/// The parts of an engine that any thread may use. ``EngineContext`` has the parts that only the engine's thread may
/// use.
final class EngineResources: Sendable {
    let configuration: DomainConfiguration
    let provider: any Provider
    let clock: any EngineClock
    let index: Index
    let folders: ContentFolders
    let openFiles = OpenFileTable()
    let search: SearchIndex
    /// The progress of edits, for programs that display items.
    let uploads: UploadStates
    /// The versions of the item sets that clients follow.
    let sets = SetVersions()
    /// The reopened handles of files that processes had opened under the previous daemon.
    let resumedHandles = ResumedHandles()
    /// The order of requests and reports, by which stale replies are detected.
    let replies = ReplyOrdering()
    let listingAges = ListingAges()
    // Leaf lock.
    let trashSupport = Lock(TrashSupport.unknown)
    /// The gate of background transfers. It is closed while the user has paused the domain.
    let gate: TransferGate
    let damage: DamageMark
    /// The reason why the index was rebuilt when the domain was opened, and the consequences for the user; `nil` if it
    /// was not rebuilt.
    let rebuilding: String?
    let durable: DurableWrites
    let events = Receiver<EngineEvent>()
    /// The receiver of failures that make a sign-in necessary.
    let signInRequests = Receiver<ProviderError>()
    // Leaf lock.
    private let closed = Lock(false)

    /// Opens the index. A damaged index is deleted and rebuilt.
    ///
    /// - Parameter journal: The commit log of the journal, which is already open.
    init(
        _ configuration: DomainConfiguration, provider: any Provider, clock: any EngineClock, folders: ContentFolders,
        journal: CommitLog
    ) throws {
        self.configuration = configuration
        gate = TransferGate(isOpen: !configuration.isPaused)
        self.provider = provider
        self.clock = clock
        self.folders = folders
        let indexPath = configuration.dataFolder + "/index.db"
        var rebuilding: String?
        damage = DamageMark(path: configuration.dataFolder + "/index.damaged")
        do {
            if damage.isThere { throw IndexError.corrupt("It was found to be damaged when it was last used.") }
            index = try Index(path: indexPath)
        } catch IndexError.corrupt(let words) {
            try Index.delete(path: indexPath)
            index = try Index(path: indexPath)
            try damage.remove()
            rebuilding =
                "The index could not be used and is built anew (\(words)). Edits are as they were; what was to stay on "
                + "this machine, and the modes, dates and attributes that were set here, are forgotten."
        }
        self.rebuilding = rebuilding
        search = SearchIndex(index, path: configuration.dataFolder + "/search.db")
        uploads = UploadStates(log: configuration.states)
        durable = DurableWrites(journal: journal, index: index.log, clock: clock)
    }

    /// Whether the engine was closed. May be read on any thread. ``EngineContext/isClosed`` has the same value on the
    /// engine's thread.
    var isClosed: Bool { closed.withLock { $0 } }

    func close() { closed.withLock { $0 = true } }
}

/// A persistent flag: the index was found damaged while it was in use. The flag is a file beside the index. It makes
/// the next start rebuild the index, even if opening the index shows no damage.
final class DamageMark: Sendable {
    private let path: String
    // Leaf lock.
    private let words = Lock<String?>(nil)

    init(path: String) { self.path = path }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// A sentence for the user that describes the damage found by this process; `nil` if it found none.
    var complaint: String? {
        words.withLock { $0 }.map { "The index is damaged (\($0)); it is built anew when the domain is opened again." }
    }

    /// Sets the flag if the given failure of the index is damage.
    func note(_ failure: IndexError) {
        guard case .corrupt(let words) = failure else { return }
        let isNew = self.words.withLock { known in
            defer { known = words }
            return known == nil
        }
        // If the file cannot be created, the next start does not know about the damage until it is found again.
        if isNew { _ = try? FileDescriptor.open(path, [.writeOnly, .create]) }
    }

    func remove() throws(Errno) {
        do throws(Errno) {
            try retrying { unlink(path) }
        } catch .noSuchFile {}
    }
}

/// The gate of background transfers, which the engine closes while the user has paused the domain.
///
/// While the gate is closed, no edit and no user metadata is sent, no pinned item is fetched, and nothing is read
/// ahead. Upload steps that have begun are completed, but the engine does not ask the provider whether its service has
/// accepted contents. Files that processes open are fetched as always. Any thread may use the gate.
final class TransferGate: Sendable {
    // Leaf lock.
    private let state: Lock<Bool>

    init(isOpen: Bool) { state = Lock(isOpen) }

    var isOpen: Bool { state.withLock { $0 } }

    /// Opens or closes the gate. Does not start the work that has waited; ``DomainEngine/setPaused(_:)`` does.
    func set(isOpen: Bool) { state.withLock { $0 = isOpen } }
}
