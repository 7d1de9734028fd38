import FileProviderEngine

/// The providers that watch their services (`PurveyWatchesService`).
extension DomainService {
    /// Keeps a domain's provider running that watches its service: while the domain is mounted, and neither paused nor
    /// disconnected.
    func noteWatch(_ name: String) async {
        guard case .running(let record, let domain) = places[name] else { return }
        let isWatching =
            mountedPath(of: record) != nil && !record.isPaused && domain.provider.disconnectionReason == nil
        await domain.provider.setWatching(isWatching)
    }
}
