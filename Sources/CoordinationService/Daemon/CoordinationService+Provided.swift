import FileCoordination
import LinuxSystem

/// Claims of files that are provided on demand.
extension CoordinationService {
    /// Passes an event to the arbiter, after the files of a claim have been provided.
    func pass(_ event: CoordinationEvent, from client: UInt64) {
        guard let provided else { return host.apply(event, from: client) }
        switch event {
        case .claim(let request):
            if request.isNoting { provided.giveWay(to: request.accesses, isOwn(client)) }
            let isTaken = provided.take(
                request, of: client, isOwn: isOwn(client),
                make: { [self] in
                    host.apply(event, from: client)
                    return isConnected(client)
                },
                end: { [host] in host.apply(.cancel(claim: request.number), from: client) },
                refuse: { [self] denial in deliver([.denied(claim: request.number, denial)], to: client) })
            if isTaken { return }
        case .adopt(let request): provided.adopt(request, of: client, isOwn: isOwn(client))
        case .cancel(let claim): provided.end(claim, of: client)
        case .release(let claim, let outcomes):
            // Other processes use a written file only after its provider was notified.
            return provided.end(claim, of: client, outcomes) { [host] in host.apply(event, from: client) }
        default: break
        }
        host.apply(event, from: client)
    }

    /// Returns a test for paths in a confined process's own container, which need no provider.
    private func isOwn(_ client: UInt64) -> (ExactPath) -> Bool {
        let container = containerOfConfined(client)
        return { path in container.map { PlainPath.isBeneath(path, $0) } ?? false }
    }
}
