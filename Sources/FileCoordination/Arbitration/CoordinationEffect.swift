/// A message from the arbiter to a process.
package enum CoordinationEffect: Sendable, Equatable {
    /// The claim is granted. If an item has moved since the request, `paths` and `keys` contain the current
    /// ``Access/path`` and ``Access/key`` of all items; otherwise they are empty. If `hasWaited` is `false`, no item
    /// has changed since the request.
    case granted(claim: UInt64, paths: [ExactPath], keys: [ExactPath], hasWaited: Bool = true)
    case denied(claim: UInt64, ClaimDenial)
    /// Asks a presenter to prepare, and to reply within the preparation's time limit.
    case prepare(Preparation)
    /// The claim for which a presenter was asked to prepare has ended, so that the presenter may use its item again.
    /// The process may not have passed the request on to the presenter yet, or the presenter may not have replied.
    case reacquire(preparation: UInt64)
    case notify(presenter: UInt64, PresenterNotice)
}

/// The reason why a claim is denied.
package enum ClaimDenial: Hashable, Sendable {
    /// The claim would wait for another claim that cannot end before this claim ends. `path` is the path of the other
    /// claim's first item.
    case deadlock(OtherClaim, path: String)
    /// The claim would wait for a presenter of this process while the claim blocks that presenter's queue.
    case blockedPresenter(path: String)
    /// A presenter could not prepare, or a file provider could not supply the item.
    case presenter(CoordinationError)
    /// The request could not be sent to the arbiter, or is invalid.
    case refused(reason: String)
    /// The process has too many claims.
    case tooManyClaims(limit: Int)
}

/// A claim, as it is described to the process of another claim.
package struct OtherClaim: Hashable, Sendable {
    /// The arbiter's identifier of the client that made the other claim; `nil` if the same client made both claims.
    package let client: UInt64?
    package let number: UInt64

    package init(client: UInt64?, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// A request to a presenter to prepare before a claim is granted.
package struct Preparation: Hashable, Sendable {
    package enum Relinquishing: Int, Comparable, Sendable {
        case none = 0
        case toReader = 1
        case toWriter = 2

        package static func < (left: Relinquishing, right: Relinquishing) -> Bool { left.rawValue < right.rawValue }
    }

    package let number: UInt64
    package let presenter: UInt64
    package var relinquishing: Relinquishing
    package var saves: Bool
    /// Whether the item itself will be deleted.
    package var deletesItem: Bool
    /// Whether the item's contents will be evicted.
    package var evictsItem: Bool
    /// The items beneath the presented item that will be deleted.
    package var deletedSubitems: [ExactPath]
    package let timeLimit: Int

    package init(
        number: UInt64, presenter: UInt64, relinquishing: Relinquishing = .none, saves: Bool = false,
        deletesItem: Bool = false, evictsItem: Bool = false, deletedSubitems: [ExactPath] = [], timeLimit: Int
    ) {
        self.number = number
        self.presenter = presenter
        self.relinquishing = relinquishing
        self.saves = saves
        self.deletesItem = deletesItem
        self.evictsItem = evictsItem
        self.deletedSubitems = deletedSubitems
        self.timeLimit = timeLimit
    }

    var isEmpty: Bool {
        relinquishing == .none && !saves && !deletesItem && !evictsItem && deletedSubitems.isEmpty
    }
}

/// A notification for a presenter, to which the presenter does not reply.
package enum PresenterNotice: Hashable, Sendable {
    case moved(to: ExactPath)
    case changed
    case subitemChanged(ExactPath)
    case subitemMoved(from: ExactPath, to: ExactPath)
    case attributesChanged([String])
    case subitemAttributesChanged(ExactPath, [String])
    case versionChanged(ExactPath, VersionChange)
    case subitemVersionChanged(ExactPath, VersionChange)
}

/// An effect, and the client to which it is sent.
package struct AddressedEffect: Sendable, Equatable {
    package let client: UInt64
    package let effect: CoordinationEffect
}
