import Conduit
import DomainMessages
import FileProvider
import FileProviderEngine
import ItemStore

/// Serves the calls that pause domains, cancel transfers, and describe one domain.
extension DomainService {
    nonisolated func addPausingCalls(to service: inout Service) {
        service.on(PauseDomainsCall.self) { request, call in
            call.answer {
                try await self.pause(request)
                return Empty()
            }
        }
        service.on(CancelTransferCall.self) { request, call in
            call.answer { CancelTransferCall.Reply(outcome: try await self.cancel(request)) }
        }
        service.on(DescribeDomainCall.self) { request, call in
            call.answer { try await self.describe(request.name) }
        }
    }

    /// Pauses domains, or continues them. The record stores whether a domain is paused, across restarts.
    private func pause(_ request: PauseDomainsCall) async throws {
        try await ready()
        for name in request.names where places[name] == nil {
            throw DomainError.noSuchDomain(name, among: places.keys)
        }
        let names = request.names.isEmpty ? places.keys.sorted() : request.names
        for name in names {
            guard var record = places[name]?.record, !record.isDamaged, record.isPaused != request.isPaused else {
                continue
            }
            if case .changing = places[name] { throw DomainError("\(name) is being changed; try again") }
            record.isPaused = request.isPaused
            try await update(record)
            if case .running(_, let domain) = places[name] { await adoptPause(of: record, domain) }
            await noteWatch(name)
        }
    }

    /// Pauses or resumes the background transfers of a domain. The provider of a resumed domain is asked for changes,
    /// because it was not asked if the daemon started while the domain was paused.
    func adoptPause(of record: DomainRecord, _ domain: RunningDomain) async {
        await domain.engine.setPaused(pauses(record))
        requestChanges(for: record, domain)
    }

    /// Asks a domain's provider for changes, unless the domain is paused or disconnected.
    func requestChanges(for record: DomainRecord, _ domain: RunningDomain) {
        if !pauses(record), record.disconnection == nil { domain.engine.signal(container: nil) }
    }

    private func cancel(_ request: CancelTransferCall) async throws -> CancelTransferCall.Outcome {
        let engine = try await domain(request.domain).engine
        let number = ItemNumber(rawValue: request.file)
        let result =
            request.isUpload
            ? try await engine.cancelUpload(of: number) : try await engine.cancelDownload(of: number)
        return switch result {
        case .cancelled: .cancelled
        case .hasBegun: .hasBegun
        case .isPinned: .isKept
        case .isOver: .isOver
        }
    }

    private func describe(_ name: String) async throws -> DescribeDomainCall.Reply {
        try await ready()
        guard let place = places[name] else { throw DomainError.noSuchDomain(name, among: places.keys) }
        let activity = await activity(of: description(of: place))
        var findings: [String] = []
        if case .running(_, let domain) = place { findings = await self.findings(of: domain.provider, name) }
        return DescribeDomainCall.Reply(activity: activity, findings: findings)
    }

    /// The time to wait for a reply that a working provider sends at once.
    static let patience: Duration = .seconds(3)

    private func findings(of provider: ExtensionProvider, _ name: String) async -> [String] {
        if await provider.isSilent(for: Self.patience) {
            return ["the provider does not answer; 'purvey retry \(name.shellWord)' starts it again"]
        }
        // A failure of the request is ignored, because the activity has the reason why a provider does not work.
        return (try? await provider.findings()) ?? []
    }
}

/// Supports the providers that watch their services (`PurveyWatchesService`).
extension DomainService {
    /// Keeps the provider's process running while its domain is mounted, not paused and not disconnected, if the
    /// provider watches its service.
    func noteWatch(_ name: String) async {
        guard case .running(let record, let domain) = places[name] else { return }
        let isWatching =
            mountedPath(of: record) != nil && !pauses(record) && domain.provider.disconnectionReason == nil
        await domain.provider.setWatching(isWatching)
    }
}
