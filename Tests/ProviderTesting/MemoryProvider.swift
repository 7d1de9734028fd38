import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import LinuxSystem

/// A provider in memory whose behaviour a test controls: a tree with versions, pages, anchors and a change feed. A test
/// can hold requests, make them fail, count and observe them.
///
/// All functions may be called on any thread.
package final class MemoryProvider: Provider {
    /// A request of the engine.
    package enum Request: Sendable, Hashable {
        case item(String)
        case page(of: String, after: [UInt8]?)
        case currentAnchor(of: String)
        case changes(in: String)
        case contents(of: String)
        /// The contents as a difference from the contents of a version.
        case difference(of: String, to: [UInt8])
        case part(of: String, Range<Int64>)
        case create(name: String, in: String)
        /// A creation of an item that may already exist.
        case createAgain(name: String, in: String)
        case importFinished
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
            case .contents, .difference: .contents
            case .part: .part
            case .create, .createAgain: .create
            case .importFinished: .importFinished
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
            trash, untrash, stopProviding, importFinished
        /// A request that is not recorded in ``MemoryProvider/requests``.
        case servesParts
    }

    /// The source of the versions of files.
    package enum Versions: Sendable {
        /// Each change of a file's contents has a version of its own.
        case counted
        /// The provider gives no version and the same date for all files, so that files of one size have one version.
        case sizes
        /// The provider gives no version, no size and no date.
        case missing
    }

    /// The provider's behaviour; see ``MemoryProvider/behave(_:)``.
    package struct Behaviour: Sendable {
        /// The maximum number of items in a page, regardless of the suggested size.
        package var pageLimit = Int.max
        /// The maximum number of changes in a reply.
        package var changeLimit = Int.max
        /// Whether containers have anchors.
        package var hasAnchors = true
        /// The bytes that are appended to every anchor.
        package var anchorSuffix: [UInt8] = []
        /// Whether the working set can be enumerated. It contains the items that were used or have user metadata, and
        /// reports changes of all items.
        package var hasWorkingSet = true
        /// Whether the trash can be enumerated.
        package var hasTrashListing = true
        /// Whether new contents count as uploaded at once. Otherwise ``MemoryProvider/confirmUploads()`` confirms them.
        package var confirmsUploads = true
        /// Whether the provider stores tags, favorites and last-used dates.
        package var storesMetadata = true
        /// Whether the provider accepts changes of only dates, permissions or extended attributes.
        package var keepsAttributes = false
        /// A closure that returns the state of the whole domain.
        package var domainState: (@Sendable () -> ProviderDomainState?)?
        /// A closure that is called with each request before it is performed.
        package var before: @Sendable (Request) async throws(ProviderError) -> Void = { (_) throws(ProviderError) in
        }
        /// A closure that is called with each request after it was performed and before the reply.
        package var after: @Sendable (Request) async throws(ProviderError) -> Void = { (_) throws(ProviderError) in
        }
        /// A closure that may change or replace a page before it is returned.
        package var page: (@Sendable (_ container: String, _ after: [UInt8]?, ItemPage) -> ItemPage)?
        /// A closure that may change or replace a batch of changes before it is returned.
        package var changes: (@Sendable (_ since: [UInt8], ChangeBatch) -> ChangeBatch)?
        /// A closure that may change a page of the trash before it is returned.
        package var trashPage: (@Sendable (ItemPage) -> ItemPage)?
        /// A closure that may change the reply to a creation.
        package var created: (@Sendable (ProviderItem) -> ProviderItem)?
        /// The source of the versions of files. Set before files are added.
        package var versions = Versions.counted
        /// Whether an item's identifier is its path, as with most small providers. When an item is moved, its
        /// identifier and those of its descendants change.
        package var identifiersArePaths = false
        /// Whether a moved item replaces the item that has its new name, instead of a collision.
        package var movesReplace = false
        /// Whether a file's identifier changes with its contents.
        package var contentsAreIdentifiers = false
        /// A closure that may change the reply to a move.
        package var moved: (@Sendable (ProviderItem) -> ProviderItem)?
        /// Whether a program writes to the files that the provider passes to the engine, while the engine copies them.
        package var filesAreWritten = false
        /// A closure that may change a file's contents before they are returned.
        package var contents: (@Sendable (_ identifier: String, [UInt8]) -> [UInt8])?
        /// Whether the provider fetches files as differences from earlier contents. It reuses the beginning that both
        /// have in common, and appends the rest.
        package var usesExistingContents = false
        /// Whether the provider serves byte ranges of files.
        package var servesParts = false
        /// A closure that may change or replace a byte range before it is returned.
        package var part: (@Sendable (PartRequest, ProviderPart) throws(ProviderError) -> ProviderPart)?
    }

    struct Node {
        var item: ProviderItem
        var contents: [UInt8] = []
        /// The position in the order of creation, which listings follow.
        var order: Int
        /// The item's key, which stays the same when the identifier changes.
        var key: String
        /// The former directory of a trashed item; `nil` for other items.
        var former: String?
    }

    struct Change {
        let identifier: String
        /// The parent before and after the change; `nil` for none.
        let from: String?
        let to: String?
    }

    struct State {
        /// The items by identifier, so that identifiers in different Unicode normal forms belong to different items.
        var nodes: [ExactText: Node] = [:]
        var counter = 0
        var log: [Change] = []
        /// The items of a container from which its pages are taken, until an item changes.
        var listings: [ExactText: (logCount: Int, nodes: [Node])] = [:]
        /// The epoch of valid anchors. Anchors of an earlier epoch have expired.
        var epoch: UInt8 = 0
        var behaviour = Behaviour()
        var requests: [Request] = []
        var failures: [Kind: [ProviderError]] = [:]
        var held: Set<Kind> = []
        /// The key of the item that has, or had last, an identifier that is a path.
        var keys: [ExactText: String] = [:]
        /// The keys of items that the engine has removed.
        var deletedKeys: Set<String> = []
        var waiting: [Int: (kind: Kind, request: Request?, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    // Leaf lock: tasks are resumed and hooks are called after it is released.
    let state = Lock(State())

    package init() {
        let root = ProviderItem(
            identifier: ProviderItem.rootIdentifier, parent: ProviderItem.rootIdentifier, filename: "root",
            kind: .folder)
        state.withLock { $0.nodes[ExactText(root.identifier)] = Node(item: root, order: 0, key: root.identifier) }
    }

    // MARK: Script

    package func behave(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

    /// Makes the next requests of a kind fail, one for each failure.
    package func fail(_ kind: Kind, with failures: ProviderError...) {
        state.withLock { $0.failures[kind, default: []] += failures }
    }

    /// Holds requests of a kind from now on, before they are performed.
    package func hold(_ kind: Kind) { state.withLock { _ = $0.held.insert(kind) } }

    /// Releases the held requests of a kind.
    package func release(_ kind: Kind) {
        let tasks = state.withLock { state in
            state.held.remove(kind)
            let tasks = state.waiting.filter { $0.value.kind == kind }
            for key in tasks.keys { state.waiting[key] = nil }
            return tasks.sorted { $0.key < $1.key }.map(\.value.continuation)
        }
        for task in tasks { task.resume() }
    }

    /// Returns the number of held requests of a kind.
    package func heldCount(_ kind: Kind) -> Int { state.withLock { $0.waiting.values.count { $0.kind == kind } } }

    /// Returns the number of times that one request is held now.
    package func heldCount(_ request: Request) -> Int {
        state.withLock { $0.waiting.values.count { $0.request == request } }
    }

    /// All requests so far, in the order of their arrival.
    package var requests: [Request] { state.withLock { $0.requests } }

    package func count(_ kind: Kind) -> Int { state.withLock { $0.requests.count { $0.kind == kind } } }

    package func count(_ request: Request) -> Int { state.withLock { $0.requests.count { $0 == request } } }

    /// Expires every anchor that was issued.
    package func expireAnchors() { state.withLock { $0.epoch &+= 1 } }

    /// Makes the change feed omit the changes of some items so far.
    package func forgetChanges(of identifiers: [String]) {
        state.withLock { state in
            let identifiers = Set(texts: identifiers)
            for (index, change) in state.log.enumerated() where identifiers.contains(change.identifier) {
                state.log[index] = Change(identifier: "", from: nil, to: nil)
            }
        }
    }

    // MARK: Requests

    /// Records a request, holds it if required, and runs the script.
    func begin(_ request: Request) async throws(ProviderError) {
        let (before, failure) = state.withLock { state in
            state.requests.append(request)
            var failure: ProviderError?
            if state.failures[request.kind]?.isEmpty == false { failure = state.failures[request.kind]?.removeFirst() }
            return (state.behaviour.before, failure)
        }
        await waitWhileHeld(request.kind, request)
        if Task.isCancelled { throw ProviderError(.cancelled, message: "The request was cancelled.") }
        if let failure { throw failure }
        try await before(request)
    }

    func end(_ request: Request) async throws(ProviderError) {
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
                    // The task may have been cancelled before.
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
