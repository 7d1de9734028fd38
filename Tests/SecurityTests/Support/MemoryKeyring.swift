import LinuxSystem
import SecretStorage
import Secrets

/// A keyring in memory, whose faults a test sets.
final class MemoryKeyring: Keyring {
    struct State: Sendable {
        var keys: [String: SecretBytes] = [:]
        /// The error of every call.
        var error: KeyringError?
        /// Whether new keys are lost.
        var forgets = false
        /// The reply to every request for a key.
        var lie: SecretBytes?
    }

    // Leaf lock.
    let state = Lock(State())

    private func use<Value>(_ body: (inout State) -> Value) throws(KeyringError) -> Value {
        let result = state.withLock { state -> Result<Value, KeyringError> in
            if let error = state.error { return .failure(error) }
            return .success(body(&state))
        }
        return try result.get()
    }

    func key(_ identifier: KeyIdentifier) throws(KeyringError) -> SecretBytes? {
        try use { $0.lie ?? $0.keys[identifier.text] }
    }

    func anyKey() throws(KeyringError) -> SecretBytes? { try use { $0.lie ?? $0.keys.first?.value } }

    func store(_ key: SecretBytes, as identifier: KeyIdentifier) throws(KeyringError) {
        try use { if !$0.forgets { $0.keys[identifier.text] = key } }
    }

    func remove(_ identifier: KeyIdentifier) throws(KeyringError) { try use { $0.keys[identifier.text] = nil } }
}
