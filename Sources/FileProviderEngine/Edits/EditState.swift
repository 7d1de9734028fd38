import FileProvider
import ItemStore

/// The engine's state of edits that are being sent to the provider.
///
/// State that must survive a crash is stored in the journal and the index instead.
struct EditState {
    /// The items to look at next, by due time.
    var queue = TimeQueue()
    /// The running steps. An item has at most one step at a time.
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// The request contexts of the running steps. They order replies and reports that arrive during a step.
    var requests: [ItemNumber: ReplyOrdering.Request] = [:]
    /// The items with a running step that sends new contents and nothing else.
    var sendsContents: Set<ItemNumber> = []
    /// The successors of replaced items: each item in a key was replaced by the item in the value while its new
    /// contents were being sent. The successor has no step before the running one has ended.
    var successors: [ItemNumber: ItemNumber] = [:]
    /// Items that another item's step renames temporarily. They have no step of their own during that step.
    var reserved: Set<ItemNumber> = []
    /// The temporary names, by item identifier.
    var namesInBetween: [String: NameInBetween] = [:]
    /// Items that changed during their step. Their next step is scheduled as soon as the running one has ended.
    var again: Set<ItemNumber> = []
    /// The items that wait for a result of the item in the key.
    var waiters: [ItemNumber: Set<ItemNumber>] = [:]
    /// The item that each waiting item waits for.
    var waitsFor: [ItemNumber: ItemNumber] = [:]
    /// The number of consecutive dependency cycles found per item.
    var cycles: [ItemNumber: Int] = [:]
    /// The number of local edits of each item's contents since the start. Items without an entry had none.
    var generations: [ItemNumber: UInt64] = [:]
    /// Contents that the provider has accepted and not confirmed yet.
    var sent: [ItemNumber: SentContents] = [:]
    /// The new items whose reply has not come yet or was lost, by the place that they were sent to.
    var unanswered: [SentLocation: Set<ItemNumber>] = [:]
    /// Reported items that lie in one of these places and may be the new items, by identifier.
    var withheld: [String: Withheld] = [:]
    /// The places to which the provider was asked to move items, by item. Each move may have happened. If the provider
    /// changed the items' identifiers, it may report them as new items.
    var moves: [ItemNumber: SentLocation] = [:]
    /// The earlier places of items that the provider was asked to move or remove, by item. The outcome of these
    /// requests is unknown.
    var leaving: [ItemNumber: SentLocation] = [:]
    /// The items with a running step whose place and identifier now belong to another item.
    var replaced: Set<ItemNumber> = []
    /// Whether the removal of an item that may only have moved was held back.
    var hasHeldRemovals = false
    /// The new items for which the provider's reply could not be used.
    var unfit: [ItemNumber: Unfit] = [:]
    /// Waits for edits that are being sent, by a number of their own.
    var waits: [Int: EditWait] = [:]
    var lastWait = 0
    /// Whether a signal came, and a look at the unconfirmed edits is scheduled.
    var isSignalled = false
    /// The number of checks of unconfirmed edits that signals caused.
    var signals = 0
    /// The number of consecutive failures per item.
    var attempts: [ItemNumber: Int] = [:]
    /// The events to show to the user: conflicts, and removals that the provider refused, so that the items came back.
    var events: [EditEvent] = []
    /// The timer for the next look at the queue.
    var wake: (time: Double, waiting: Cancellable)?
    /// Whether another attempt to write owed journal entries is scheduled, because the disk was full.
    var hasDeferredFlush = false
    /// The running sums of ``DomainEngine/uploadTotals()``.
    var tally = TransferTally()
    var generator = SystemRandomNumberGenerator()
    /// A closure that is called whenever journal and index disagree for a moment. Tests use it to examine the state
    /// that a crash would leave.
    var observer: (@Sendable () -> Void)?

    init() {}

    /// Whether a request that changes an item is running at the provider.
    func isBusy(_ number: ItemNumber) -> Bool {
        running[number] != nil || reserved.contains(number) || successors.values.contains(number)
    }

    /// Returns the item whose step sends the contents of an item: the item itself, or the one that it replaced.
    /// Returns `nil` if there is no such step.
    func sender(for number: ItemNumber) -> ItemNumber? {
        sendsContents.contains(number) ? number : successors.first { $0.value == number }?.key
    }

    /// The maximum number of concurrent steps.
    static let stepLimit = 8

    struct Withheld {
        var place: SentLocation
        /// The identifiers that were reported inside the item, at any depth, if it is a directory.
        var inside: Set<String> = []
    }

    /// Contents that the provider has accepted. As far as the engine knows, the provider's service does not have them
    /// yet.
    struct SentContents {
        var generation: UInt64
        var size: Int64
        /// The number of times that the provider was asked whether the service has the contents.
        var polls: Int
    }
}

/// An edit's unexpected outcome.
package struct EditEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The provider had other contents. The local contents were saved in a copy with this name.
        case conflict(copy: String)
        /// The name was taken at the provider.
        case renamed(to: String)
        /// The provider refused the deletion, and the item came back.
        case deletionRefused(ProviderError?)
        /// The provider removed an item that was edited locally. The item is created again.
        case madeAgain
        /// The disk had bytes of an edit that the journal does not record.
        case recovered
    }

    package var number: ItemNumber
    package var name: String
    package var kind: Kind
    /// In seconds since 1970.
    package var time: Double
}

/// The names of the copies that uploads read from.
enum UploadName {
    /// Returns the name of the copy that is being sent, or was sent last.
    static func latest(_ number: ItemNumber) -> String { String(number.rawValue) }
    /// Returns the names of the copies of earlier uploads, latest first. The reply to an earlier upload may have been
    /// lost, so the provider may hold its contents.
    static func earlier(_ number: ItemNumber) -> [String] { (1...4).map { "\(number.rawValue).before-\($0)" } }
    static func all(_ number: ItemNumber) -> [String] { [latest(number)] + earlier(number) }
}
