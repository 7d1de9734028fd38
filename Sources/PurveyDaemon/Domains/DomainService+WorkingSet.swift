import Conduit
import DomainMessages
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem

/// Serves calls about the working set. The replies come from the domains' indexes; no extension is started.
extension DomainService {
    nonisolated func addWorkingSetCalls(to service: inout Service) {
        service.on(RecentsCall.self) { request, call in
            call.answer {
                let limit = Self.limit(request.limit)
                let items = try await self.found { domain throws in try domain.engine.recents(limit: limit) }
                let sorted = items.sorted { ($0.lastUsed ?? 0, $0.path) > ($1.lastUsed ?? 0, $1.path) }
                return FoundItems(items: Array(sorted.prefix(limit)))
            }
        }
        service.on(FavoritesCall.self) { _, call in
            call.answer {
                let items = try await self.found { domain throws in try domain.engine.index.favorites() }
                let sorted = items.sorted { ($0.favoriteRank ?? 0, $0.path) < ($1.favoriteRank ?? 0, $1.path) }
                return FoundItems(items: Array(sorted.prefix(Self.most)))
            }
        }
        service.on(SearchCall.self) { request, call in call.answer { try await self.search(request) } }
        service.on(SetFavoriteCall.self) { request, call in
            call.answer {
                try await self.at(request.place) { try await $0.setFavorite(request.isFavorite) }
                return Empty()
            }
        }
        service.on(TagItemCall.self) { request, call in
            call.answer {
                try await self.at(request.place) {
                    TagItemCall.Reply(tags: try await $0.tag(adding: request.added, removing: request.removed))
                }
            }
        }
        service.on(PushCall.self) { request, call in
            call.answer {
                try await self.push(request)
                return Empty()
            }
        }
    }

    /// The maximum number of items in a reply. A longer list does not help the user and does not fit into one message.
    private static let most = 10_000

    private static func limit(_ wanted: Int) -> Int { min(max(0, wanted), most) }

    private func search(_ request: SearchCall) async throws -> FoundItems {
        var query = SearchQuery(words: request.words)
        query.types = request.types
        query.tags = request.tags
        query.since = request.since
        query.before = request.before
        query.limit = Self.limit(request.limit)
        if let name = request.domain { _ = try await domain(name) }
        let wanted = query
        let items = try await found(only: request.domain) { domain throws in
            try domain.engine.search.search(wanted)
        }
        return FoundItems(items: Array(items.prefix(query.limit)))
    }

    /// Returns the items found in the running domains, in the order of the domains' names.
    private func found(
        only name: String? = nil, _ find: @escaping @Sendable (RunningDomain) throws -> [FoundItem]
    ) async throws -> [FoundItemDescription] {
        try await ready()
        var found: [FoundItemDescription] = []
        for place in places.values.sorted(by: { $0.record.name < $1.record.name }) {
            guard case .running(let record, let domain) = place, name == nil || name == record.name else { continue }
            let mount = mountedPath(of: record)
            let items = try await HandlerThreads.shared.value { () throws in try find(domain) }
            found += items.map { item in
                let path = item.names.joined(separator: "/")
                return FoundItemDescription(
                    domain: record.name, path: path, mountedPath: mount.map { $0 + "/" + path },
                    item: ItemDescription(item.item, nil), lastUsed: item.metadata.lastUsed,
                    favoriteRank: item.metadata.favoriteRank, tags: item.metadata.tags)
            }
        }
        return found
    }

    // MARK: Pushes

    private func push(_ push: PushCall) async throws {
        guard !push.container.isEmpty, push.container.utf8.count <= ProviderItem.longestText else {
            throw DomainError("the container of the push is not an identifier")
        }
        try await ready()
        var provider: String?
        if let topic = push.topic {
            guard topic.hasSuffix(PushCall.topicSuffix) else {
                throw DomainError(
                    "the topic \"\(topic)\" is not an extension's identifier with \(PushCall.topicSuffix)")
            }
            provider = String(topic.dropLast(PushCall.topicSuffix.count))
        }
        let meant = places.values.filter { place in
            let record = place.record
            let isMeant = push.domain.map { $0 == record.identifier || $0 == record.name } ?? true
            return isMeant && (provider.map { $0 == record.provider } ?? true)
        }
        guard !meant.isEmpty else {
            if let domain = push.domain { throw DomainError.noSuchDomain(domain, among: places.keys) }
            throw DomainError("there is no domain that the push is about", .noSuchDomain)
        }
        guard push.domain != nil || push.topic != nil || meant.count == 1 else {
            throw DomainError("the push names neither a domain nor a topic, and there are \(meant.count) domains")
        }
        for place in meant {
            // A domain that does not run fetches all changes when it starts.
            if case .running(_, let domain) = place { domain.engine.signal(container: push.container) }
        }
    }
}

extension DomainItem {
    func setFavorite(_ isFavorite: Bool) async throws {
        guard item.number != .root else { throw DomainError("the domain itself cannot be a favorite") }
        do throws(EditError) {
            try await domain.engine.run { engine throws(EditError) in
                try engine.metadata.setFavorite(isFavorite, of: item.number, engine)
            }
        } catch {
            throw DomainError("it cannot be marked: \(error.errno)")
        }
    }

    /// Changes the item's tags. Returns the tags after the change.
    func tag(adding added: [String], removing removed: [String]) async throws -> [String] {
        guard item.number != .root else { throw DomainError("the domain itself cannot have tags") }
        if let fault = added.lazy.compactMap({ TagList.fault(of: $0) }).first { throw DomainError(fault) }
        do throws(EditError) {
            return try await domain.engine.run { engine throws(EditError) in
                try engine.metadata.changeTags(adding: added, removing: removed, of: item.number, engine)
            }
        } catch {
            // Each tag was checked before, so only the number of tags can be invalid.
            if error.errno == .invalidArgument { throw DomainError("an item has at most \(TagList.most) tags") }
            throw DomainError("it cannot be tagged: \(error.errno)")
        }
    }
}
