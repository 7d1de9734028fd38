import Conduit
import DomainMessages
import FileProviderEngine
import LinuxSystem
import SecretStorage
import Secrets

/// Serves calls about the desktop's keyring, and continues the domains that waited for it. The keyring stores the key
/// that encrypts the passwords.
extension DomainService {
    nonisolated func addKeyringCall(to service: inout Service) {
        service.on(KeyringCall.self) { request, call in
            call.answer { try await self.handle(request) }
        }
    }

    private func handle(_ request: KeyringCall) async throws -> KeyringCall.Reply {
        guard let passwords else { throw DomainError("no passwords can be stored: the daemon's log says why") }
        switch request.action {
        case .describe: break
        case .unlock:
            do throws(KeyringError) {
                try await passwords.unlock()
            } catch {
                throw DomainError(Self.sentence(error))
            }
            await keyringChanged()
        case .reset:
            do {
                let providers = try await HandlerThreads.shared.value { () throws(SecretError) in
                    try passwords.abandonItems()
                }
                await resume(providers)
            } catch SecretError.invalid {
                throw DomainError("the key of the stored passwords can be read: nothing is given up")
            }
        }
        let (place, fault) = await passwords.describeKey()
        return KeyringCall.Reply(place: place, fault: fault)
    }

    private static func sentence(_ error: KeyringError) -> String {
        switch error {
        case .locked: "the keyring is still locked: the prompt was dismissed, or had no answer"
        case .absent: "there is no keyring: log in to the desktop, or start one, such as gnome-keyring"
        case .failed(let reason): reason
        }
    }

    /// Continues the domains that waited for the key. If a keyring has appeared, first moves the key into it.
    func keyringChanged(isStart: Bool = false) async {
        if let providers = await passwords?.settleKey(isStart: isStart) { await resume(providers) }
    }

    /// Continues the domains of providers that waited for the key.
    private func resume(_ providers: Set<String>) async {
        for case .running(let record, let domain) in places.values where providers.contains(record.provider) {
            await domain.engine.resolved()
            domain.engine.signal(container: nil)
        }
    }

    /// Returns the sentence for the user if a provider waits for the keyring.
    func keyringFault(of provider: String) -> String? {
        passwords?.waiting.error(of: provider).map { "its work waits: \($0)" }
    }
}
