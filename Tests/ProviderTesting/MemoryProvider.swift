import FileProvider
import FileProviderEngine
import LinuxSystem

/// A provider in memory that does what a test tells it to: a tree with versions, pages, anchors and a feed of changes; requests can
/// be held up, made to fail, counted and watched.
///
/// Everything may be called on any thread.
package final class MemoryProvider: Provider {
    /// What was asked.
    package enum Request: Sendable, Hashable {
        case item(String)
        case page(of: String, after: [UInt8]?)
        case currentAnchor(of: String)
        case changes(in: String)
        case contents(of: String)
        case part(of: String, Range<Int64>)
        case create(name: String, in: String)
        case replaceContents(of: String)
        case move(String)
        case delete(String)
        case set(String)
        case trash(String)
        case untrash(String)
        case stopProviding(String)

        package var kind: Kind {
            switch self {
            case .item: .item
            case .page(of: ProviderItem.trashIdentifier, _): .trashPage
            case .page: .page
            case .currentAnchor: .currentAnchor
            case .changes: .changes
            case .contents: .contents
            case .part: .part
            case .create: .create
            case .replaceContents: .replaceContents
            case .move: .move
            case .delete: .delete
            case .set: .set
            case .trash: .trash
            case .untrash: .untrash
            case .stopProviding: .stopProviding
            }
        }
    }

    package enum Kind: Sendable, Hashable, CaseIterable {
        case item, page, trashPage, currentAnchor, changes, contents, part, create, replaceContents, move, delete, set,
            trash, untrash, stopProviding
        /// Is not among the ``MemoryProvider/requests``.
        case servesParts
    }

    /// How it behaves; see ``MemoryProvider/behave(_:)``.
    package struct Behaviour: Sendable {
        /// The most items of a page, whatever is suggested.
        package var pageLimit = Int.max
        /// The most changes of one answer.
        package var changeLimit = Int.max
        /// Whether containers have anchors.
        package var hasAnchors = true
        /// Comes after every anchor.
        package var anchorSuffix: [UInt8] = []
        /// Whether the working set can be enumerated: it lists what was used or marked, and tells of changes to everything.
        package var hasWorkingSet = true
        /// Whether the trash can be enumerated.
        package var hasTrashListing = true
        /// Whether new contents count as uploaded at once; otherwise by ``MemoryProvider/confirmUploads()``.
        package var confirmsUploads = true
        /// Whether it keeps tags, favorites and dates of use.
        package var keepsFacts = true
        /// Whether it takes dates, permissions and extended attributes by themselves.
        package var keepsAttributes = false
        /// What it says of the whole domain.
        package var domainState: (@Sendable () -> ProviderDomainState?)?
        /// Called with each request before anything is done about it.
        package var before: @Sendable (Request) async throws(ProviderFailure) -> Void = { (_) throws(ProviderFailure) in
        }
        /// Called with each request after it was done and before it is answered.
        package var after: @Sendable (Request) async throws(ProviderFailure) -> Void = { (_) throws(ProviderFailure) in
        }
        /// May change a page on its way out, or make one up.
        package var page: (@Sendable (_ container: String, _ after: [UInt8]?, ItemPage) -> ItemPage)?
        /// May change a batch of changes on its way out, or make one up.
        package var changes: (@Sendable (_ since: [UInt8], ChangeBatch) -> ChangeBatch)?
        /// May change a page of the trash on its way out.
        package var trashPage: (@Sendable (ItemPage) -> ItemPage)?
        /// May give another answer to a new item than what was made.
        package var created: (@Sendable (ProviderItem) -> ProviderItem)?
        /// Whether an item's identifier is its path, as with most small providers: what is moved has another one, and so has all that
        /// is in it.
        package var identifiersArePaths = false
        /// Whether a file has another identifier with each contents.
        package var contentsAreIdentifiers = false
        /// May change what is answered to moves.
        package var moved: (@Sendable (ProviderItem) -> ProviderItem)?
        /// May change a file's contents on their way out.
        package var contents: (@Sendable (_ identifier: String, [UInt8]) -> [UInt8])?
        /// Whether it gives parts of files.
        package var servesParts = false
        /// May change a part on its way out, or make one up.
        package var part: (@Sendable (PartRequest, ProviderPart) throws(ProviderFailure) -> ProviderPart)?
    }

    struct Node {
        var item: ProviderItem
        var contents: [UInt8] = []
        /// When it came into the tree; the order of listings.
        var order: Int
        /// The item's key, which stays the same whatever identifier it has.
        var key: String
        /// Of what lies in the trash: the folder that it was in.
        var former: String?
    }

    struct Change {
        let identifier: String
        /// Where it was before and is after; `nil` for nowhere.
        let from: String?
        let to: String?
    }

    struct State {
        var nodes: [String: Node] = [:]
        var counter = 0
        var log: [Change] = []
        /// What the pages of a container are cut from, for as long as nothing changes.
        var listings: [String: (logCount: Int, nodes: [Node])] = [:]
        /// Anchors of an earlier one have expired.
        var era: UInt8 = 0
        var behaviour = Behaviour()
        var requests: [Request] = []
        var failures: [Kind: [ProviderFailure]] = [:]
        var held: Set<Kind> = []
        /// Keys of what the engine has removed.
        var deletedKeys: Set<String> = []
        var waiting: [Int: (kind: Kind, request: Request?, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    // Innermost: tasks go on and hooks are called after it is released.
    let state = Lock(State())

    package init() {
        let root = ProviderItem(
            identifier: ProviderItem.rootIdentifier, parent: ProviderItem.rootIdentifier, filename: "root",
            kind: .folder)
        state.withLock { $0.nodes[root.identifier] = Node(item: root, order: 0, key: root.identifier) }
    }

    // MARK: Script

    package func behave(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

    /// The next requests of a kind fail, one for each failure.
    package func fail(_ kind: Kind, with failures: ProviderFailure...) {
        state.withLock { $0.failures[kind, default: []] += failures }
    }

    /// From now on requests of a kind wait, before anything is done about them.
    package func hold(_ kind: Kind) { state.withLock { _ = $0.held.insert(kind) } }

    /// Lets those go on that were held.
    package func release(_ kind: Kind) {
        let tasks = state.withLock { state in
            state.held.remove(kind)
            let tasks = state.waiting.filter { $0.value.kind == kind }
            for key in tasks.keys { state.waiting[key] = nil }
            return tasks.sorted { $0.key < $1.key }.map(\.value.continuation)
        }
        for task in tasks { task.resume() }
    }

    /// How many requests of a kind are held up now.
    package func heldCount(_ kind: Kind) -> Int { state.withLock { $0.waiting.values.count { $0.kind == kind } } }

    /// How many times one request is held up now.
    package func heldCount(_ request: Request) -> Int {
        state.withLock { $0.waiting.values.count { $0.request == request } }
    }

    /// Every request so far, in the order in which they came.
    package var requests: [Request] { state.withLock { $0.requests } }

    package func count(_ kind: Kind) -> Int { state.withLock { $0.requests.count { $0.kind == kind } } }

    package func count(_ request: Request) -> Int { state.withLock { $0.requests.count { $0 == request } } }

    /// Every anchor that was given out is of no use any more.
    package func expireAnchors() { state.withLock { $0.era &+= 1 } }

    /// The feed does not tell what happened to some items so far.
    package func forgetChanges(of identifiers: [String]) {
        state.withLock { state in
            for (index, change) in state.log.enumerated() where identifiers.contains(change.identifier) {
                state.log[index] = Change(identifier: "", from: nil, to: nil)
            }
        }
    }

    // MARK: Requests

    /// Notes a request, and lets the script have its say.
    func begin(_ request: Request) async throws(ProviderFailure) {
        let (before, failure) = state.withLock { state in
            state.requests.append(request)
            var failure: ProviderFailure?
            if state.failures[request.kind]?.isEmpty == false { failure = state.failures[request.kind]?.removeFirst() }
            return (state.behaviour.before, failure)
        }
        await waitWhileHeld(request.kind, request)
        if Task.isCancelled { throw ProviderFailure(.cancelled, message: "The request was cancelled.") }
        if let failure { throw failure }
        try await before(request)
    }

    func end(_ request: Request) async throws(ProviderFailure) {
        try await state.withLock { $0.behaviour.after }(request)
    }

    func waitWhileHeld(_ kind: Kind, _ request: Request? = nil) async {
        let key = state.withLock { state in
            state.counter += 1
            return state.counter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    // The cancellation may have come before this.
                    guard state.held.contains(kind), !Task.isCancelled else { return false }
                    state.waiting[key] = (kind, request, continuation)
                    return true
                }
                if !isHeld { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: key)?.continuation }?.resume()
        }
    }
}
