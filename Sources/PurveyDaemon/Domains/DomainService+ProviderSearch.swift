import Conduit
import DomainMessages
import FileProviderEngine
import FileProviderWire
import LinuxSystem

/// Makes providers search at their services.
extension DomainService {
    nonisolated func addProviderSearchCall(to service: inout Service) {
        service.on(SearchProvidersCall.self) { request, call in
            call.answer { try await self.search(request) { call.report(completed: $0, total: $1) } }
        }
    }

    /// The result of a search in one domain.
    private enum Outcome: Sendable {
        case found([ProvidedItemDescription], isCutShort: Bool)
        /// The provider does not support search.
        case unsupported
        case failed(DomainError)
    }

    private func search(
        _ request: SearchProvidersCall, report: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> SearchProvidersCall.Reply {
        let most = ProviderSearchCall.longestQuery
        guard request.query.utf8.count <= most else {
            throw DomainError("the search text has \(request.query.utf8.count) bytes, of at most \(most)")
        }
        let limit = min(max(1, request.limit), ProviderSearchCall.mostResults)
        // Throws if the domain does not exist or does not run.
        if let name = request.domain { _ = try await domain(name) } else { try await ready() }
        let domains = places.values.compactMap { place -> (DomainRecord, RunningDomain, String?)? in
            guard case .running(let record, let domain) = place,
                request.domain.map({ $0 == record.name }) ?? true
            else { return nil }
            return (record, domain, mountedPath(of: record))
        }
        let outcomes = await withTaskGroup { group in
            for (record, domain, mount) in domains {
                group.addTask {
                    (record.name, await Self.search(request.query, limit, in: domain, record, at: mount, report))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try Task.checkCancellation()
        return try Self.reply(outcomes.sorted { $0.0 < $1.0 }, to: request, limit)
    }

    private static func search(
        _ query: String, _ limit: Int, in domain: RunningDomain, _ record: DomainRecord, at mount: String?,
        _ report: @escaping @Sendable (Int64, Int64) -> Void
    ) async -> Outcome {
        // A program that adds a domain declares whether the domain supports searches. For a domain that the user added,
        // this is known only from the provider's reply.
        if let managed = record.managed, !managed.isSearchable { return .unsupported }
        do throws(ProviderError) {
            let found = try await domain.engine.searchProvider(query, limit: limit, progress: report)
            let items = found.results.map { found in
                let path = found.names?.joined(separator: "/")
                return ProvidedItemDescription(
                    domain: record.name, result: found.result, path: path,
                    mountedPath: path.flatMap { path in mount.map { $0 + "/" + path } })
            }
            return .found(items, isCutShort: found.isCutShort)
        } catch {
            if error.kind == .unsupported { return .unsupported }
            return .failed(DomainError(error))
        }
    }

    private static func reply(
        _ outcomes: [(name: String, outcome: Outcome)], to request: SearchProvidersCall, _ limit: Int
    ) throws -> SearchProvidersCall.Reply {
        var items: [ProvidedItemDescription] = []
        var faults: [String] = []
        var hasSearched = false
        for (name, outcome) in outcomes {
            switch outcome {
            case .found(let found, let isCutShort):
                hasSearched = true
                items += found
                if isCutShort { faults.append("\(name): the search takes too long; these are the first results") }
            case .unsupported: break
            case .failed(let failure):
                // The only requested domain has failed, so there is no result to return.
                if request.domain != nil { throw failure.told(of: name) }
                hasSearched = true
                faults.append("\(name): \(failure)")
            }
        }
        guard hasSearched else {
            let whose = request.domain.map { "the provider of \($0)" } ?? "no provider of these domains"
            throw DomainError(
                "\(whose) \(request.domain == nil ? "searches" : "does not search") by itself; "
                    + "without --provider, the items that are known on this machine are searched")
        }
        return SearchProvidersCall.Reply(items: Array(items.prefix(limit)), faults: faults)
    }
}
