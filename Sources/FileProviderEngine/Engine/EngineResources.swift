import FileProviderWire
import ItemStore
import LinuxSystem

/// The parts of an engine that any thread may use. ``EngineContext`` has the parts that only the engine's thread uses.
final class EngineResources: Sendable {
    let configuration: DomainConfiguration
    let provider: any Provider
    let clock: any EngineClock
    let index: Index
    let folders: ContentFolders
    let openFiles = OpenFileTable()
    let search: SearchIndex
    /// The progress of edits, for views of items.
    let uploads: UploadStates
    /// The versions of the item sets that clients follow.
    let sets = SetVersions()
    /// The handles that were reopened for programs.
    let resumedHandles = ResumedHandles()
    /// The order of requests and reports, which detects stale replies.
    let replies = ReplyOrdering()
    let listingAges = ListingAges()
    /// The gate of background transfers.
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
    /// - Parameter journal: The log of the journal, which is open already.
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
        uploads = UploadStates(notes: configuration.states)
        durable = DurableWrites(journal: journal, index: index.log, clock: clock)
    }

    /// Whether the engine was closed, for other threads than the engine's. ``EngineContext/isClosed`` is the same for
    /// the engine's thread.
    var isClosed: Bool { closed.withLock { $0 } }

    func close() { closed.withLock { $0 = true } }
}
