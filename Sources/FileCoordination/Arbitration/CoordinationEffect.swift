/// What the arbiter tells a process.
package enum CoordinationEffect: Sendable, Equatable {
    /// The claim's user may begin. Paths are given if an item has moved since it asked, and then of all its items. Whether others
    /// had to be waited for tells whether anything can have changed meanwhile.
    case granted(claim: UInt64, paths: [ExactPath], keys: [ExactPath], hasWaited: Bool = true)
    case denied(claim: UInt64, ClaimDenial)
    /// A presenter is to prepare itself, and to answer within so many milliseconds.
    case prepare(Preparation)
    /// What a presenter was prepared for is over. It may not even have been asked yet, or have answered.
    case reacquire(preparation: UInt64)
    case notify(presenter: UInt64, PresenterNotice)
}

/// Why a claim is not granted.
package enum ClaimDenial: Hashable, Sendable {
    /// It would wait for a claim that cannot end before it: that one, and its item.
    case deadlock(OtherClaim, path: String)
    /// It would wait for a presenter of an item here, whose queue it blocks meanwhile.
    case blockedPresenter(path: String)
    /// A presenter could not prepare itself, or a provider the item.
    case presenter(CoordinationFailure)
    /// It could not be told to whoever decides, or not be understood there.
    case refused(reason: String)
    /// The process has more claims than one may have.
    case tooManyClaims(limit: Int)
}

/// A claim as another one's process is told of it.
package struct OtherClaim: Hashable, Sendable {
    /// The process that made it, by the number that it has with the arbiter; `nil` for the same process.
    package let client: UInt64?
    package let number: UInt64

    package init(client: UInt64?, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// What a presenter is asked to do before a claim is granted.
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
    /// The item itself will be deleted.
    package var deletesItem: Bool
    /// The item's bytes will be given up.
    package var evictsItem: Bool
    /// What will be deleted beneath the item.
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

/// What a presenter is told and need not answer.
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

/// An effect, with the process that it is for.
package struct AddressedEffect: Sendable, Equatable {
    package let client: UInt64
    package let effect: CoordinationEffect
}
