import Conduit
import LinuxSystem

/// What a process tells the arbiter. Claims and presenters are known by numbers that their process gives them, preparations by
/// the arbiter's own.
package enum CoordinationEvent: Sendable {
    /// Somebody wants to use items, and waits until it may.
    case claim(ClaimRequest)
    /// A claim that another arbiter, which is gone, had granted.
    case adopt(ClaimRequest)
    /// All that another arbiter had granted has been said.
    case adoptedAll
    /// The claim's user is done, with what became of the items that were written.
    case release(claim: UInt64, outcomes: [ClaimOutcome])
    /// Nobody waits for the claim any more.
    case cancel(claim: UInt64)
    /// A presenter is prepared, or says that it cannot be.
    case answer(preparation: UInt64, failure: CoordinationFailure?)
    /// A presenter of an item, or of another one than before.
    case present(PresenterPlace)
    case removePresenter(UInt64)
    /// An item was moved, as its mover says.
    case moved(ItemMove)
    /// Attributes of an item in a cloud changed, as whoever changed them says.
    case changedAttributes(path: ExactPath, names: [String], excepted: UInt64?)
    /// There is one version more of an item, one less, or one that is in conflict no more.
    case changedVersion(path: ExactPath, VersionChange)
}

/// A wish to use items together: either all of them are granted or none.
package struct ClaimRequest: Sendable {
    package let number: UInt64
    package var accesses: [Access]
    /// Claims with the same purpose do not wait for each other.
    package let purpose: String
    /// The presenter on whose behalf the items are used. It gets no messages because of that.
    package let presenter: UInt64?
    /// The claims that the same thread holds already: they end after this one.
    package let enclosing: [UInt64]
    /// The preparations that the thread is in the middle of: they are answered after this claim.
    package var answering: [UInt64]
    /// The presenters of its process whose messages have to wait for as long as the claim does: its thread is their queue's.
    package let blocking: [UInt64]
    /// How many milliseconds a presenter has to prepare itself, at least one and at most those of a day.
    package var presenterTimeLimit: Int
    /// The file to be read, as a confined process has been handed it. Said with a claim, and no part of it.
    package let handed: FileDescriptor?
    /// Whether it is made by a provider in the middle of being told that a file has changed: whoever has changed it waits for that.
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

/// What became of an item that was written.
package struct ClaimOutcome: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case none, changed, deleted
        case moved(toPath: ExactPath, key: ExactPath)
    }

    /// The access's place in the claim.
    package let access: Int
    package let change: Change

    package init(access: Int, change: Change) {
        self.access = access
        self.change = change
    }
}

/// Where a presenter's item is; nowhere while it presents nothing.
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

/// An item's way from one path to another.
package struct ItemMove: Hashable, Sendable {
    package let path: ExactPath
    package let newPath: ExactPath
    package let newKey: ExactPath
    /// The presenter that knows already.
    package let excepted: UInt64?

    package init(path: ExactPath, newPath: ExactPath, newKey: ExactPath, excepted: UInt64?) {
        self.path = path
        self.newPath = newPath
        self.newKey = newKey
        self.excepted = excepted
    }
}

/// An error that crosses from one process to another, with as many of its words as one message can have.
package struct CoordinationFailure: Error, Hashable, Sendable {
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
