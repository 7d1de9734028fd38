import DomainMessages
import Foundation
import FoundationAdditions
import ItemValues
import LinuxSystem
import Synchronization

/// An enumerator of an item set: the materialized items of a domain, or the items that wait for their upload. The items
/// come from the daemon. The provider gets no request.
///
/// A sync anchor denotes the items that were in the set when the enumerator created the anchor. The enumerator stores
/// these items for its last two anchors. All other anchors count as expired, including those of other enumerators.
///
/// Any thread may use it.
final class SetEnumerator: NSObject, NSFileProviderPendingSetEnumerator, Sendable {
    private let set: ItemSet
    private let domain: NSFileProviderDomainIdentifier?
    private let backend: any ManagerBackend

    /// The items of the set by identifier.
    private typealias Contents = [ExactText: ProviderItem]
    private struct State {
        var known: [(anchor: NSFileProviderSyncAnchor, contents: Contents)] = []
        var isInvalid = false
        var domainVersion: Int64?
    }
    // Leaf lock.
    private let state = Mutex(State())

    private static let remembered = 2
    private static let pageSize = 100

    init(_ set: ItemSet, of domain: NSFileProviderDomainIdentifier?, _ backend: any ManagerBackend) {
        self.set = set
        self.domain = domain
        self.backend = backend
        super.init()
        SetWatches.shared.follow(set, of: domain, backend)
    }

    /// The domain version from the daemon's last reply.
    var domainVersion: NSFileProviderDomainVersion? {
        state.withLock { $0.domainVersion }.map { NSFileProviderDomainVersion(number: $0) }
    }
    /// The shortest useful interval between enumerations, in seconds. Each enumeration returns the current set, which
    /// rarely changes more often.
    var refreshInterval: TimeInterval { 1 }
    var isMaximumSizeReached: Bool { false }

    func invalidate() {
        state.withLock { state in
            state.isInvalid = true
            state.known = []
        }
    }

    // MARK: Pages

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        // The protocol allows calls on any thread, and the calls to this observer do not overlap.
        let observer = Disconnected(observer)
        guard let position = Self.position(of: page) else {
            return HandlerThreads.shared.run {
                observer.value.finishEnumeratingWithError(NSFileProviderError(.pageExpired))
            }
        }
        let wanted = observer.value.suggestedPageSize ?? 0
        fetch(after: position, limit: wanted > 0 ? min(wanted, ItemSetPage.most) : Self.pageSize) { result in
            HandlerThreads.shared.run {
                switch result {
                case .success(let page):
                    if !page.items.isEmpty { observer.value.didEnumerate(page.items.map(ProviderItemObject.init)) }
                    observer.value.finishEnumerating(upTo: page.next.map(Self.page))
                case .failure(let error): observer.value.finishEnumeratingWithError(error)
                }
            }
        }
    }

    private static let mark = Data("purvey.set.".utf8)

    private static func page(_ position: Int64) -> NSFileProviderPage {
        NSFileProviderPage(mark + Data(String(position).utf8))
    }

    /// Returns the position of a page: 0 for the first page, `nil` if the page does not come from an enumerator of this
    /// class.
    private static func position(of page: NSFileProviderPage) -> Int64? {
        let first = [
            Data(), NSFileProviderPage.initialPageSortedByName as Data,
            NSFileProviderPage.initialPageSortedByDate as Data,
        ]
        if first.contains(page.rawValue) { return 0 }
        guard page.rawValue.starts(with: mark) else { return nil }
        return Int64(String(decoding: page.rawValue.dropFirst(mark.count), as: UTF8.self))
    }

    private func fetch(
        after position: Int64, limit: Int, _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void
    ) {
        guard !state.withLock({ $0.isInvalid }) else { return completion(.failure(CocoaError(.userCancelled))) }
        SetWatches.shared.follow(set, of: domain, backend)
        SetWatches.shared.whenFollowed(set, of: domain) { [self] in
            backend.items(in: set, of: domain, after: position == 0 ? nil : position, limit: limit) { [self] result in
                if let page = try? result.get() { state.withLock { $0.domainVersion = page.domainVersion } }
                completion(result)
            }
        }
    }

    // MARK: Changes

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        everything { [self] result in
            let anchor = (try? result.get()).map { remember($0) }
            HandlerThreads.shared.run { completionHandler(anchor) }
        }
    }

    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor) {
        let observer = Disconnected(observer)
        guard let before = state.withLock({ $0.known.first { $0.anchor == syncAnchor }?.contents }) else {
            return HandlerThreads.shared.run {
                observer.value.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
            }
        }
        everything { [self] result in
            switch result {
            case .success(let now):
                let updated = now.values.filter { before[ExactText($0.identifier)] != $0 }
                let deleted = before.keys.filter { now[$0] == nil }
                let isSame = updated.isEmpty && deleted.isEmpty
                let anchor = isSame ? syncAnchor : remember(now)
                HandlerThreads.shared.run {
                    if !updated.isEmpty { observer.value.didUpdate(updated.map(ProviderItemObject.init)) }
                    if !deleted.isEmpty {
                        observer.value.didDeleteItems(
                            withIdentifiers: deleted.map { NSFileProviderItemIdentifier($0.string) })
                    }
                    observer.value.finishEnumeratingChanges(upTo: anchor, moreComing: false)
                }
            case .failure(let error): HandlerThreads.shared.run { observer.value.finishEnumeratingWithError(error) }
            }
        }
    }

    private func remember(_ contents: Contents) -> NSFileProviderSyncAnchor {
        let anchor = NSFileProviderSyncAnchor(Data(UUID().uuidString.utf8))
        state.withLock { state in
            state.known.append((anchor, contents))
            state.known.removeFirst(max(0, state.known.count - Self.remembered))
        }
        return anchor
    }

    /// Fetches all pages of the set from `position` on, and adds their items to `found`.
    private func everything(
        after position: Int64 = 0, _ found: Contents = [:],
        _ completion: @escaping @Sendable (Result<Contents, any Error>) -> Void
    ) {
        fetch(after: position, limit: ItemSetPage.most) { [self] result in
            switch result {
            case .success(let page):
                var found = found
                for item in page.items { found[ExactText(item.identifier)] = item }
                guard let next = page.next else { return completion(.success(found)) }
                everything(after: next, found, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
