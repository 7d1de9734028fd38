import FileProvider

/// The engine's state of edits that are being sent to the provider.
///
/// State that must survive a crash is in the journal and the index instead.
struct EditState {
    /// The items to look at next, by due time.
    var queue = TimeQueue()
    /// The running steps. An item has at most one step at a time.
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// The request contexts of the running steps, with which replies and reports that arrive meanwhile are ordered.
    var requests: [ItemNumber: ReplyOrdering.Request] = [:]
    /// The items with a running step that sends new contents and nothing else.
    var sendsContents: Set<ItemNumber> = []
    /// Items that another item replaced while their new contents were being sent, with that successor. The successor
    /// has no step of its own before the running one has ended.
    var successors: [ItemNumber: ItemNumber] = [:]
    /// Items that another item's step renames temporarily. They have no step of their own meanwhile.
    var reserved: Set<ItemNumber> = []
    /// The temporary names, by item identifier.
    var namesInBetween: [String: NameInBetween] = [:]
    /// Items to look at as soon as their step has ended, because they changed meanwhile.
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
    /// New items that were sent and whose reply has not come yet or was lost, by the place that they were sent to.
    var unanswered: [SentLocation: Set<ItemNumber>] = [:]
    /// Items that the provider reported in those places and that may be the new items, by identifier.
    var withheld: [String: Withheld] = [:]
    /// The items that the provider was asked to move and may have moved, with their new places. If the provider
    /// changed their identifiers, it may report them as new items.
    var moves: [ItemNumber: SentLocation] = [:]
    /// The items that the provider was asked to move or remove and whose outcome is unknown, with the places that it
    /// had them in.
    var leaving: [ItemNumber: SentLocation] = [:]
    /// The items with a running step whose place and identifier another item has got since the step began.
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
    /// The number of such looks.
    var signals = 0
    /// The number of consecutive failures per item.
    var attempts: [ItemNumber: Int] = [:]
    /// Conflicts, and deletions that the provider refused so that the items came back, for the user to see.
    var events: [EditEvent] = []
    /// The timer for the next look at the queue.
    var wake: (time: Double, waiting: Cancellable)?
    /// Whether another attempt to write owed journal entries is scheduled, because the disk was full.
    var hasDeferredFlush = false
    /// The sums that ``DomainEngine/uploadTotals()`` returns.
    var tally = TransferTally()
    var generator = SystemRandomNumberGenerator()
    /// A closure that is called at each moment at which journal and index disagree. Tests use it to examine the state
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

    /// Contents that the provider has and its service, as far as is known, does not have yet.
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
        /// The provider had other contents. The local ones are in a copy of this name.
        case conflict(copy: String)
        /// The name was taken at the provider.
        case renamed(to: String)
        /// The provider refused the deletion, and the item came back.
        case deletionRefused(ProviderError?)
        /// The provider removed an item that was edited locally. The item is created again.
        case madeAgain
        /// Bytes of an edit were found that the journal does not know of.
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
    /// Returns the names of the copies that were sent before that, latest first. The reply to each may have been lost,
    /// and the provider may hold it.
    static func earlier(_ number: ItemNumber) -> [String] { (1...4).map { "\(number.rawValue).before-\($0)" } }
    static func all(_ number: ItemNumber) -> [String] { [latest(number)] + earlier(number) }
}
