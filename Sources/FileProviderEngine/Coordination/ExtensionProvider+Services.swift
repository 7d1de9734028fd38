import ExtensionHost
import FileProvider
import LinuxSystem

/// Services for programs.
extension ExtensionProvider {
    /// What the provider offers for an item.
    ///
    /// - Parameter isOwn: whether a program of the provider's own asks.
    package func services(of identifier: String, isOwn: Bool) async throws(ProviderFailure) -> [String] {
        try await ask(ProviderServicesCall(identifier: identifier, isOwn: isOwn), isSafe: true, isForProgram: true)
            .names
    }

    /// Connects a program to a service. The process is kept for as long as the program keeps the connection.
    ///
    /// - Returns: the program's end.
    package func openService(
        _ name: String, of identifier: String, isOwn: Bool
    ) async throws(ProviderFailure) -> FileDescriptor {
        try checkConnected()
        let (program, provider): (SequencedPacketSocket, SequencedPacketSocket)
        do {
            (program, provider) = try SequencedPacketSocket.pair()
        } catch {
            throw ProviderFailure(error)
        }
        let request = ProviderServiceCall(
            identifier: identifier, name: name, isOwn: isOwn, socket: provider.descriptor)
        let result: Result<Void, ProviderFailure> = await withCheckedContinuation { continuation in
            let first = FirstAnswer<Result<Void, ProviderFailure>> { continuation.resume(returning: $0) }
            // It goes on after this function has returned.
            Task {
                do throws(ProviderFailure) {
                    _ = try await process.call(request, .service) { _, _ in first.give(.success(())) }
                    first.give(.success(()))
                } catch {
                    first.give(.failure(error))
                }
            }
        }
        try result.get()
        return program.descriptor
    }
}
