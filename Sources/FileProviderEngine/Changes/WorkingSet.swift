import FileProviderWire
import ItemStore
import ItemValues

/// The provider's working set. Its change feed reports the changes of all directories. Its listing contains the items,
/// in any directory, that the provider considers useful to the user.
///
/// It is a part of ``ChangeTracker``.
final class WorkingSet {
    /// The availability of the working set's change feed.
    private enum State {
        case unknown
        /// The first sync anchor is being requested.
        case beginning
        case available
        case missing
    }

    private let context: EngineContext
    private let signIn: SignIn
    private let reconciler: ItemReconciler
    private let evictor: Evictor
    private let feed: ChangeFeed
    private let refreshes: DirectoryRefreshes
    private var state = State.unknown
    /// The number of listings of the working set that failed with a transient error.
    private var failures = 0

    private let container = ProviderItem.workingSetIdentifier

    init(
        _ context: EngineContext, _ signIn: SignIn, _ reconciler: ItemReconciler, _ evictor: Evictor,
        _ feed: ChangeFeed, _ refreshes: DirectoryRefreshes
    ) {
        self.context = context
        self.signIn = signIn
        self.reconciler = reconciler
        self.evictor = evictor
        self.feed = feed
        self.refreshes = refreshes
    }

    // MARK: The change feed

    /// Whether the change feed reports all changes from now on, or the provider has no change feed. Otherwise, a
    /// directory whose listing begins now has to be listed again after the first sync anchor is obtained.
    var isBegun: Bool {
        switch state {
        case .available, .missing: true
        case .beginning: false
        case .unknown: (try? context.anchor(of: container)) ?? nil != nil
        }
    }

    /// Whether the provider has no change feed.
    var isMissing: Bool { state == .missing }

    /// Requests the first sync anchor of the working set, unless the index has an anchor already. The change feed
    /// reports the changes after that anchor. Called after the first listing of a directory.
    func begin(_ engine: isolated any EngineEvents) {
        guard !context.isClosed, state == .unknown else { return }
        if (try? context.anchor(of: container)) ?? nil != nil {
            state = .available
            engine.changesAreFollowed()
        } else {
            state = .beginning
            // Something may have changed between the listing and the anchor, so this request also refreshes the
            // directories.
            engine.changesAreWanted(in: container, isRefresh: nil)
        }
    }

    /// Applies the changes since the last sync anchor. Without a valid anchor, requests the current anchor and
    /// refreshes the listed directories.
    func requestChanges(_ engine: isolated any EngineEvents) async throws(ProviderError) {
        if state != .missing, let anchor = try context.anchor(of: container) {
            do throws(ProviderError) {
                try await feed.follow(container, from: anchor, engine)
                state = .available
                return
            } catch {
                guard error.kind == .expired || error.kind == .unsupported || error.kind == .noSuchItem else {
                    throw error
                }
            }
        }
        try await takeAnchor(engine)
    }

    private func takeAnchor(_ engine: isolated any EngineEvents) async throws(ProviderError) {
        let anchor: [UInt8]?
        do throws(ProviderError) {
            anchor = try await context.resources.currentAnchor(of: container)
        } catch {
            guard error.kind == .noSuchItem || error.kind == .notPermitted || error.kind == .cannotSynchronize else {
                if state == .beginning { state = .unknown }
                throw error
            }
            anchor = nil
        }
        guard !context.isClosed else { throw .closed }
        state = anchor == nil ? .missing : .available
        try context.write { writer throws(IndexError) in
            try writer.setAnchor(anchor, of: container)
            try writer.setSetting(Self.listedSetting, nil)
            // Changes before that anchor are unknown.
            try writer.noteAllOutdated()
        }
        try refreshes.refreshOutdatedAnew(engine)
        // Moves into and out of the trash before that anchor are unknown, too.
        engine.trashMayHaveChanged()
    }

    // MARK: The items

    /// The maximum number of pages of the working set that are requested. Items on further pages are found when their
    /// directories are listed.
    private static let mostPages = 500

    /// The maximum number of attempts to list the working set. When a page expires, the next attempt begins at the
    /// first page.
    private static let beginnings = 3

    /// The key of a setting that is present once the working set was listed completely, or proved impossible to list.
    private static let listedSetting = "workingSet.listed"

    /// Whether the working set may be listed again. After eight failures, it is not listed until the engine is started
    /// again, because the provider reports changes without a listing, too.
    private var mayBeListed: Bool { failures < 8 }

    private func isListed() throws(ProviderError) -> Bool {
        try onRecord { () throws(IndexError) in try context.index.setting(Self.listedSetting) != nil }
    }

    /// Lists the working set once and adds its items to the index, so that they are available offline. The listing is
    /// optional: a provider that cannot list the working set, or crashes on the request, is still asked for changes.
    ///
    /// - Throws: A failure of the provider that may be temporary, or a failure of this machine. The caller repeats the
    ///   listing.
    func enumerateOnce(_ engine: isolated any EngineEvents) async throws(ProviderError) {
        guard state == .available, mayBeListed, try !isListed() else { return }
        var after: [UInt8]?
        var seen: Set<[UInt8]> = []
        var beginning = 1
        for _ in 0..<Self.mostPages {
            let (items, request): ([ProviderItem], ReplyOrdering.Request)
            let epoch = signIn.epoch
            do throws(ProviderError) {
                let answer = try await context.resources.page(of: container, after: after)
                // The items of the working set may lie in directories that were never listed, so their ancestors are
                // added.
                (items, request) = (try await reconciler.withAncestors(answer.page.items, engine), answer.request)
                after = answer.page.next
            } catch {
                if error.kind == .expired, beginning < Self.beginnings {
                    beginning += 1
                    (after, seen) = (nil, [])
                    continue
                }
                guard error.isForGood else {
                    if error.kind == .transient { failures += 1 }
                    guard mayBeListed else { return }
                    throw error
                }
                signIn.noteFailure(error, sentIn: epoch)
                break
            }
            guard !context.isClosed else { throw .closed }
            try reconciler.apply(items, answering: request, engine)
            guard let next = after, next.count <= ProviderWire.longestToken, seen.insert(next).inserted else { break }
        }
        guard !context.isClosed else { throw .closed }
        try evictor.writeMakingRoom(engine) { writer throws(IndexError) in
            try writer.setSetting(Self.listedSetting, [1])
        }
    }
}

extension ProviderError {
    /// Whether this failure shows that the provider can never list its working set.
    fileprivate var isForGood: Bool {
        switch kind {
        // `processEnded`: the request was already repeated several times, so the process crashes on it.
        case .unsupported, .noSuchItem, .notPermitted, .badAnswer, .cannotSynchronize, .expired, .processEnded: true
        default: false
        }
    }
}
