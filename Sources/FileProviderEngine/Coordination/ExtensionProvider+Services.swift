import ExtensionHost
import FileProviderWire
import LinuxSystem

/// Services that a provider offers to programs.
extension ExtensionProvider {
    /// Returns the names of the services that the provider offers for an item.
    ///
    /// - Parameter isOwn: whether the client is a program of the provider's own.
    package func services(of identifier: String, isOwn: Bool) async throws(ProviderError) -> [String] {
        try await ask(ProviderServicesCall(identifier: identifier, isOwn: isOwn), isSafe: true, isForProgram: true)
            .names
    }

    /// Connects a program to a service. The provider's process is kept running as long as the program keeps the
    /// connection.
    ///
    /// - Returns: the program's end of the connection.
    package func openService(
        _ name: String, of identifier: String, isOwn: Bool
    ) async throws(ProviderError) -> FileDescriptor {
        try checkConnected()
        let (program, provider): (SequencedPacketSocket, SequencedPacketSocket)
        do {
            (program, provider) = try SequencedPacketSocket.pair()
        } catch {
            throw ProviderError(error)
        }
        let request = ProviderServiceCall(
            identifier: identifier, name: name, isOwn: isOwn, socket: provider.descriptor)
        let result: Result<Void, ProviderError> = await withCheckedContinuation { continuation in
            let first = OneShotCompletion<Result<Void, ProviderError>> { continuation.resume(returning: $0) }
            // The call lasts as long as the connection, and outlives this function.
            Task {
                do throws(ProviderError) {
                    _ = try await process.call(request, .service) { _, _ in first.complete(.success(())) }
                    first.complete(.success(()))
                } catch {
                    first.complete(.failure(error))
                }
            }
        }
        try result.get()
        return program.descriptor
    }
}
