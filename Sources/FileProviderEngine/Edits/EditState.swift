import FileProvider
import ItemStore

/// The engine's state of edits that are being sent to the provider.
///
/// State that must survive a crash is stored in the journal and the index instead.
struct EditState {
    /// The uploads, by item.
    var table = UploadTable()
    /// The temporary names, by item identifier.
    var namesInBetween: [String: NameInBetween] = [:]
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
    /// Whether the removal of an item that may only have moved was held back.
    var hasHeldRemovals = false
    /// Waits for edits that are being sent, by a number of their own.
    var waits: [Int: EditWait] = [:]
    var lastWait = 0
    /// Whether a signal came, and a look at the unconfirmed edits is scheduled.
    var isSignalled = false
    /// The number of checks of unconfirmed edits that signals caused.
    var signals = 0
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

    /// The maximum number of concurrent steps.
    static let stepLimit = 8

    struct Withheld {
        var place: SentLocation
        /// The identifiers that were reported inside the item, at any depth, if it is a directory.
        var inside: Set<String> = []
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
