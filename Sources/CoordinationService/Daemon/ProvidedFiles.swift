import FileCoordination
import LinuxSystem

/// Makes files in the document storages of file providers available when the files are claimed. The providers supply
/// the contents.
package protocol ProvidedFiles: Sendable {
    /// The maximum duration for which other processes wait until a provider has been notified of a change.
    var patience: Duration { get }

    /// Whether the given path can belong to a file that is provided on demand. Called for every claim, so the function
    /// must be fast and must not block.
    func mayProvide(_ path: ExactPath) -> Bool

    /// Puts files in place. If the calling task is cancelled, the operation is cancelled, too.
    ///
    /// - Parameter purpose: The purpose identifier of the claim. A provider uses its provider identifier as the
    ///   purpose, so the provider is not asked for a file that it claims itself.
    /// - Returns: A lease that keeps the files in place until it ends, or the reason why a file cannot be provided.
    ///   After a failure, no lease exists for any of the files.
    func begin(_ uses: [ProvidedUse], purpose: String) async -> Result<any ProvidedFilesLease, CoordinationError>
}

/// A file that must be provided for a claim, and the form in which it is needed.
package struct ProvidedUse: Sendable {
    package enum Need: Sendable {
        case contents
        /// The file's contents, which the claim will change. The file need not exist yet.
        case contentsIfAny
        /// The placeholder file that represents the file while it is not local.
        case placeholder
        /// Neither the contents nor the placeholder, because the claim replaces or removes the file, or because an
        /// enclosing claim has already put the file in place.
        case nothing
    }

    package let path: ExactPath
    package let need: Need
}

/// A lease that keeps the files of a claim in place.
package protocol ProvidedFilesLease: Sendable {
    /// Ends the lease. Called once.
    ///
    /// - Parameters:
    ///   - changed: The paths of the files whose contents have changed.
    ///   - reported: Called when the provider has been notified of the changes, or when it cannot be notified.
    func end(changed: [ExactPath], reported: @escaping @Sendable () -> Void)
}

/// Claims of files that are provided on demand.
extension CoordinationService {
    /// Passes an event to the arbiter. A claim of files that are provided on demand is passed when its files are in
    /// place.
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

    /// Returns a function that checks whether a path is in the container of the given client. A confined process's own
    /// files need no provider.
    private func isOwn(_ client: UInt64) -> (ExactPath) -> Bool {
        let container = containerOfConfined(client)
        return { path in container.map { PlainPath.isBeneath(path, $0) } ?? false }
    }
}
