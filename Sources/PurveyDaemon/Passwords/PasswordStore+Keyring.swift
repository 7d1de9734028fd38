import Glibc
import LinuxSystem
import SecretStorage
import Secrets

/// Manages the key that encrypts the passwords, which is stored in the desktop's keyring or in a file.
extension PasswordStore {
    /// Whether the key is to be stored in the keyring, as the environment variable `PURVEY_KEYRING` states. Without
    /// this variable, `PURVEY_HOME` decides: if it is set, all data is in one directory, and the key is stored in a
    /// file.
    static var prefersKeyring: Bool {
        switch getenv("PURVEY_KEYRING").map({ String(cString: $0) }) {
        case "desktop": true
        case "file": false
        default: getenv("PURVEY_HOME") == nil
        }
    }

    /// Moves the key to the preferred place (keyring or file) if both can be used, and checks that the key can be read.
    ///
    /// - Parameter isStart: whether this is the first call. A later call uses the keyring only if the key is not at its
    ///   preferred place, or if a provider waits for the key. Some keyrings may signal each use as a change, and each
    ///   change causes such a call.
    /// - Returns: the providers that waited for the key and can continue.
    func settleKey(isStart: Bool) async -> Set<String> {
        await HandlerThreads.shared.value { [self] in
            keyring?.expectReplies()
            let place = store.keyPlace
            guard !place.isPreferred || !waiting.isEmpty || (isStart && place.isKeyring) else { return [] }
            do throws(SecretError) {
                try store.settleKey()
                return waiting.takeAll()
            } catch {
                return []
            }
        }
    }

    /// Asks the user to unlock the keyring if the key is in the keyring and the keyring is locked. Must be called only
    /// for an action of the user, such as a sign-in.
    func unlockForUser() async {
        await HandlerThreads.shared.value { [self] in
            guard store.keyPlace.isKeyring, store.keyFault == .keyringLocked else { return }
            // A failure is ignored here, because the next call that needs the key reports it.
            try? keyring?.unlock()
        }
    }

    /// Asks the user to unlock the keyring.
    func unlock() async throws(KeyringError) {
        guard let keyring else { throw .absent }
        try await HandlerThreads.shared.value { () throws(KeyringError) in try keyring.unlock() }
    }

    /// Returns the place of the key in words, and the reason why the key cannot be read; `nil` if it can be read.
    func describeKey() async -> (place: String, fault: String?) {
        await HandlerThreads.shared.value { [self] in
            let place = store.keyPlace
            if place.isKeyring { return ("the desktop's keyring", store.keyFault?.description) }
            return (isKeyringLocked ? "a file, until the desktop's keyring is unlocked" : "a file", nil)
        }
    }

    /// Whether the key stays in a file because the keyring is locked. Blocks.
    private var isKeyringLocked: Bool {
        guard Self.prefersKeyring, let keyring else { return false }
        do throws(KeyringError) {
            try keyring.check()
            return false
        } catch {
            return error == .locked
        }
    }

    /// Abandons the stored passwords, so that users sign in again. Fails if the key can be read. Blocks.
    ///
    /// - Returns: the providers that waited for the key.
    func abandonItems() throws(SecretError) -> Set<String> {
        try store.abandonItems()
        return waiting.takeAll()
    }
}

/// The providers that could not use the passwords, because the key could not be read.
final class WaitingProviders: Sendable {
    // Leaf lock.
    private let errors = Lock<[String: SecretError]>([:])

    /// Records the result of a provider's call: the error, or `nil` after a success.
    func note(_ error: SecretError?, of provider: String) {
        let error = error.flatMap { $0.isOfKeyring ? $0 : nil }
        errors.withLock { $0[provider] = error }
    }

    /// Returns the error because of which a provider waits; `nil` if the provider does not wait.
    func error(of provider: String) -> SecretError? { errors.withLock { $0[provider] } }

    var isEmpty: Bool { errors.withLock { $0.isEmpty } }

    /// Returns all waiting providers, and removes them.
    func takeAll() -> Set<String> {
        errors.withLock { errors in
            defer { errors = [:] }
            return Set(errors.keys)
        }
    }
}
