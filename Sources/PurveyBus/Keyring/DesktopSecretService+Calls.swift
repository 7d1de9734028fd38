import Conduit
import Secrets

/// Serves the daemon's calls about the keyring.
extension DesktopSecretService {
    /// The timeout for the user's answer to a prompt.
    private static let promptTime: Duration = .seconds(120)

    nonisolated func addCalls(to service: inout Service) {
        serve(FindKeyCall.self, in: &service) { (keyring, request) throws(KeyringError) in
            FindKeyCall.Reply(key: try await keyring.key(store: request.store, identifier: request.identifier))
        }
        serve(StoreKeyCall.self, in: &service) { (keyring, request) throws(KeyringError) in
            try await keyring.store(request.key, store: request.store, identifier: request.identifier)
            return Empty()
        }
        serve(RemoveKeyCall.self, in: &service) { (keyring, request) throws(KeyringError) in
            try await keyring.remove(store: request.store, identifier: request.identifier)
            return Empty()
        }
        serve(CheckKeyringCall.self, in: &service) { (keyring, _) throws(KeyringError) in
            try await keyring.check()
            return Empty()
        }
        serve(UnlockKeyringCall.self, in: &service) { (keyring, request) throws(KeyringError) in
            try await keyring.unlock(store: request.store, timeLimit: Self.promptTime)
            return Empty()
        }
    }

    private nonisolated func serve<C: Call>(
        _: C.Type, in service: inout Service,
        _ answer: @escaping @Sendable (DesktopSecretService, C) async throws(KeyringError) -> C.Reply
    ) {
        service.on(C.self) { request, call in
            Task {
                do throws(KeyringError) {
                    call.reply(try await answer(self, request))
                } catch {
                    call.fail(error.remote)
                }
            }
        }
    }
}
