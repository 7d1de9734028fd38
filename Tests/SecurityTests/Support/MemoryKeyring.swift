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
        /// The reply to every request for a key; `nil` for the correct one.
        var lie: SecretBytes?
        /// Whether the bytes of keys are returned in reverse order.
        var reverses = false
        /// The number of keys that were stored.
        var stored = 0
        /// Is called once, before the next reply.
        var beforeReply: (@Sendable () -> Void)?

        /// Returns a key as the keyring returns it.
        func reply(_ key: SecretBytes?) -> SecretBytes? {
            if let lie { return lie }
            guard reverses else { return key }
            return key?.withBytes { Array($0.reversed()).withUnsafeBytes { SecretBytes(copying: $0) } }
        }
    }

    // Leaf lock.
    let state = Lock(State())

    private func use<Value>(_ body: (inout State) -> Value) throws(KeyringError) -> Value {
        state.withLock { $0.beforeReply.take() }?()
        let result = state.withLock { state -> Result<Value, KeyringError> in
            if let error = state.error { return .failure(error) }
            return .success(body(&state))
        }
        return try result.get()
    }

    func key(_ identifier: KeyIdentifier) throws(KeyringError) -> SecretBytes? {
        try use { $0.reply($0.keys[identifier.text]) }
    }

    func anyKey() throws(KeyringError) -> SecretBytes? { try use { $0.reply($0.keys.first?.value) } }

    func store(_ key: SecretBytes, as identifier: KeyIdentifier) throws(KeyringError) {
        try use { state in
            state.stored += 1
            if !state.forgets { state.keys[identifier.text] = key }
        }
    }

    func remove(_ identifier: KeyIdentifier) throws(KeyringError) { try use { $0.keys[identifier.text] = nil } }
}
