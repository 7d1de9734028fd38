import Conduit
import LinuxSystem

/// A message from a process to the arbiter. The process chooses the numbers of its claims and presenters. The arbiter
/// chooses the numbers of preparations.
package enum CoordinationEvent: Sendable {
    /// A request to use items.
    case claim(ClaimRequest)
    /// A claim that an earlier arbiter had granted.
    case adopt(ClaimRequest)
    /// The process has reported all claims that an earlier arbiter had granted.
    case adoptedAll
    /// A granted claim ends. The outcomes are the changes of the written items.
    case release(claim: UInt64, outcomes: [ClaimOutcome])
    /// The caller no longer waits for the claim.
    case cancel(claim: UInt64)
    /// A presenter's reply that it is prepared, or cannot prepare.
    case answer(preparation: UInt64, failure: CoordinationError?)
    /// A new presenter, or a presenter that now presents another item.
    case present(PresenterPlace)
    case removePresenter(UInt64)
    /// A move of an item, as announced by the process that moved it.
    case moved(ItemMove)
    /// A change of attributes of an item in a file provider's domain, as announced by the process that changed them.
    case changedAttributes(path: ExactPath, names: [String], excepted: UInt64?)
    /// An added, removed or resolved version of an item.
    case changedVersion(path: ExactPath, VersionChange)
}

/// A request to use one or more items. All of them are granted together.
package struct ClaimRequest: Sendable {
    package let number: UInt64
    package var accesses: [Access]
    /// The purpose identifier. Claims with the same purpose do not wait for each other.
    package let purpose: String
    /// The presenter for which the items are used. It gets no messages about this claim.
    package let presenter: UInt64?
    /// The claims that the same thread already holds. The new claim ends before them.
    package let enclosing: [UInt64]
    /// The preparations that the claim's thread is performing. The claim ends before the presenters reply to them.
    package var answering: [UInt64]
    /// The presenters of the process that cannot get messages until this claim ends, because the claim's thread runs
    /// their queue.
    package let blocking: [UInt64]
    /// The time in milliseconds in which a presenter must prepare: at least one millisecond, and at most a day.
    package var presenterTimeLimit: Int
    /// The open file to read, if this confined process received its descriptor from another process. The descriptor is
    /// sent together with the claim, but is not part of the encoded claim.
    package let handed: FileDescriptor?
    /// Whether a file provider makes the claim while it handles a notification that a file has changed. The process
    /// that changed the file waits until the provider has handled the notification.
    package let isNoting: Bool

    package init(
        number: UInt64, accesses: [Access], purpose: String, presenter: UInt64? = nil, enclosing: [UInt64] = [],
        answering: [UInt64] = [], blocking: [UInt64] = [], presenterTimeLimit: Int = 30_000,
        handed: FileDescriptor? = nil, isNoting: Bool = false
    ) {
        self.number = number
        self.accesses = accesses
        self.purpose = purpose
        self.presenter = presenter
        self.enclosing = enclosing
        self.answering = answering
        self.blocking = blocking
        let allowed = ClaimLimits.presenterMilliseconds
        self.presenterTimeLimit = min(max(presenterTimeLimit, allowed.lowerBound), allowed.upperBound)
        self.handed = handed
        self.isNoting = isNoting
    }
}

/// The change of an item that was written.
package struct ClaimOutcome: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case none, changed, deleted
        case moved(toPath: ExactPath, key: ExactPath)
    }

    /// The index of the access in the claim.
    package let access: Int
    package let change: Change

    package init(access: Int, change: Change) {
        self.access = access
        self.change = change
    }
}

/// The item of a presenter. The path is `nil` while the presenter has no item.
package struct PresenterPlace: Hashable, Sendable {
    package let number: UInt64
    package let path: ExactPath?
    package let key: ExactPath?

    package init(number: UInt64, path: ExactPath?, key: ExactPath?) {
        self.number = number
        self.path = path
        self.key = key
    }
}

/// A move of an item.
package struct ItemMove: Hashable, Sendable {
    package let path: ExactPath
    package let newPath: ExactPath
    package let newKey: ExactPath
    /// The presenter that gets no notice of the move, if any.
    package let excepted: UInt64?

    package init(path: ExactPath, newPath: ExactPath, newKey: ExactPath, excepted: UInt64?) {
        self.path = path
        self.newPath = newPath
        self.newKey = newKey
        self.excepted = excepted
    }
}

/// An error that is sent to another process. Long texts are shortened.
package struct CoordinationError: Error, Hashable, Sendable {
    package let domain: String
    package let code: Int
    package let message: String

    private static let domainBytes = 1_024
    private static let messageBytes = 8 * 1_024

    package init(domain: String, code: Int, message: String) {
        self.domain = domain.shortened(toBytes: Self.domainBytes)
        self.code = code
        self.message = message.shortened(toBytes: Self.messageBytes)
    }
}
