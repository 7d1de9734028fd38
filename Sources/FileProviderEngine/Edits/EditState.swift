import FileProvider

/// What the engine knows of edits that are on their way to the provider.
///
/// What has to survive a crash is in the journal and in the index, not here.
struct EditState {
    /// What is to be looked at, and when.
    var queue = TimeQueue()
    /// Items of which a step is under way; there is never more than one step of an item.
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// When the steps that are under way began, as far as it matters for what the provider says meanwhile.
    var questions: [ItemNumber: AnswerOrder.Question] = [:]
    /// Those of them whose step sends new contents, and nothing else.
    var sendsContents: Set<ItemNumber> = []
    /// Items whose place another one took while new contents of them were sent, with that one: it has no step of its own before that has
    /// ended.
    var successors: [ItemNumber: ItemNumber] = [:]
    /// Items that another one's step gives another name for a while: they have no step of their own meanwhile.
    var reserved: Set<ItemNumber> = []
    /// Those names, by the items' identifiers.
    var namesInBetween: [String: NameInBetween] = [:]
    /// Items to be looked at as soon as their step has ended, because something was done to them meanwhile.
    var again: Set<ItemNumber> = []
    /// Who waits until something becomes of an item.
    var waiters: [ItemNumber: Set<ItemNumber>] = [:]
    /// And for whom.
    var waitsFor: [ItemNumber: ItemNumber] = [:]
    /// How often in a row items were found to wait for what waits for them.
    var circles: [ItemNumber: Int] = [:]
    /// How often contents were edited since the start; what is not there was not.
    var generations: [ItemNumber: UInt64] = [:]
    /// Contents that the provider took and has not confirmed yet.
    var sent: [ItemNumber: SentContents] = [:]
    /// New items whose sending was not answered yet, or never was, by where they were sent.
    var unanswered: [SentPlace: Set<ItemNumber>] = [:]
    /// What the provider told of in those places, which may be them, by identifiers.
    var withheld: [String: Withheld] = [:]
    /// The items that the provider was asked to move and may have moved, with their new places: under another identifier, it may report
    /// them as new items.
    var moves: [ItemNumber: SentPlace] = [:]
    /// Whether the removal of an item that may only have moved was held back.
    var hasHeldRemovals = false
    /// The new items whose answers from the provider could not be used.
    var unfit: [ItemNumber: Unfit] = [:]
    /// Waits for edits that are under way, by numbers of their own.
    var waits: [Int: EditWait] = [:]
    var lastWait = 0
    /// A signal came, and what waits for that is to be looked at.
    var isSignalled = false
    /// How often that was done.
    var signals = 0
    /// Failures in a row.
    var attempts: [ItemNumber: Int] = [:]
    /// Deletions that the provider refused, so that the items came back, and conflicts: what a person may want to know.
    var events: [EditEvent] = []
    /// The clock's call for the next look.
    var wake: (time: Double, waiting: Waiting)?
    /// While somebody has to sign in: when one item is tried all the same, since that may have been done elsewhere.
    var nextSignInProbe = 0.0
    /// The journal is to be written to once more, because the disk was full.
    var willPay = false
    var pauses = Pauses()
    /// For ``DomainEngine/uploadTotals()``.
    var tally = TransferTally()
    var generator = SystemRandomNumberGenerator()
    /// Told of each moment at which the journal and the index do not agree, for tests of what a crash leaves then.
    var observer: (@Sendable () -> Void)?
    /// Once ``DomainEngine/recoverEdits(_:)`` has run.
    var isReady = false

    init() {}

    /// Whether the provider is being asked for something that changes an item.
    func isBusy(_ number: ItemNumber) -> Bool {
        running[number] != nil || reserved.contains(number) || successors.values.contains(number)
    }

    /// The item whose step sends contents of the one with this number: itself, or the one whose place it took; `nil` where none is.
    func sender(for number: ItemNumber) -> ItemNumber? {
        sendsContents.contains(number) ? number : successors.first { $0.value == number }?.key
    }

    /// Steps that are under way at the same time.
    static let stepLimit = 8

    struct Withheld {
        var place: SentPlace
        /// What was told to be in it, if it is a folder, at whatever depth.
        var inside: Set<String> = []
    }

    /// Contents that the provider has and the service, as far as is known, has not.
    struct SentContents {
        var generation: UInt64
        var size: Int64
        /// How often it was asked whether it has now.
        var polls: Int
    }
}

/// Something that became of an edit otherwise than was asked for.
package struct EditEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The provider had other contents: the ones of this machine are in a copy, which is named here.
        case conflict(copy: String)
        /// The name was taken.
        case renamed(to: String)
        /// The provider refused the deletion: the item is back.
        case deletionRefused(ProviderFailure?)
        /// The provider removed what was edited here: it is made again.
        case madeAgain
        /// Bytes were found that no journal knows of.
        case recovered
    }

    package var number: ItemNumber
    package var name: String
    package var kind: Kind
    /// Seconds since 1970.
    package var time: Double
}

/// Names of what was sent, among the copies for uploads.
enum UploadName {
    /// What is sent, or was sent last.
    static func latest(_ number: ItemNumber) -> String { String(number.rawValue) }
    /// What was sent before that, the last first: of each the answer may have been lost, and the provider have that.
    static func earlier(_ number: ItemNumber) -> [String] { (1...4).map { "\(number.rawValue).before-\($0)" } }
    static func all(_ number: ItemNumber) -> [String] { [latest(number)] + earlier(number) }
}
