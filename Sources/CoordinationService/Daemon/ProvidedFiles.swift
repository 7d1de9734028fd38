import FileCoordination
import LinuxSystem

/// The files in the document storages of file providers, which the providers put in place on demand.
package protocol ProvidedFiles: Sendable {
    /// The maximum time for which other processes wait until a provider has been notified of a change.
    var patience: Duration { get }

    /// Whether a path can belong to a file that is provided on demand. Called for every claim, so it must be quick and
    /// must not block.
    func mayProvide(_ path: ExactPath) -> Bool

    /// Puts files in place. Cancelling the task cancels the operation.
    ///
    /// - Parameter purpose: The purpose identifier of the claim. A provider uses its provider identifier as the
    ///   purpose, so that its own files are not provided to it.
    /// - Returns: A lease that keeps the files in place until it ends, or the reason why a file cannot be provided.
    ///   After a failure, no file is kept in place.
    func begin(_ uses: [ProvidedUse], purpose: String) async -> Result<any ProvidedFilesLease, CoordinationError>
}

/// A file that must be provided for a claim, and the form in which it is needed.
package struct ProvidedUse: Sendable {
    package enum Need: Sendable {
        case contents
        /// The contents, in order to change them. The file need not exist yet.
        case contentsIfAny
        /// The placeholder that represents the file.
        case placeholder
        /// Nothing, because the file is replaced or removed, or was provided before.
        case nothing
    }

    package let path: ExactPath
    package let need: Need
}

/// A lease that keeps files in place for a claim.
package protocol ProvidedFilesLease: Sendable {
    /// Ends the lease. Called once.
    ///
    /// - Parameters:
    ///   - changed: The paths of files that have changed contents.
    ///   - noted: Called when the provider has been notified of the changes, or cannot be notified.
    func end(changed: [ExactPath], noted: @escaping @Sendable () -> Void)
}

/// Claims of files that are provided on demand.
extension CoordinationService {
    /// Passes an event to the arbiter. A claim is passed after its files have been put in place.
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
