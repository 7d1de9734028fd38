import LinuxSystem
import Secrets

/// The places of a store's key: a file and a keyring. The header of the encrypted file names the place of its key, so
/// that replacing this file also changes the place. Functions block.
struct SecretKeys: Sendable {
    let file: SecretKeyFile
    let keyring: (any Keyring)?
    /// Whether the keyring is the preferred place of the key; otherwise, it is the file. A key in the other place is
    /// moved when both places can be used.
    let prefersKeyring: Bool
    private let trust = KeyringTrust()

    init(file: SecretKeyFile, keyring: (any Keyring)?, prefersKeyring: Bool) {
        (self.file, self.keyring, self.prefersKeyring) = (file, keyring, prefersKeyring)
    }

    /// Returns the key with an identifier, from the keyring.
    func key(_ identifier: KeyIdentifier) throws(SecretError) -> PlacedKey {
        guard let keyring else { throw .keyringUnreachable }
        let key: SecretBytes?
        do throws(KeyringError) {
            key = try keyring.key(identifier)
        } catch {
            throw error == .locked ? .keyringLocked : .keyringUnreachable
        }
        // Other bytes from the keyring are not tried as the key, because the file of the items would then count as
        // damaged.
        guard let key, KeyIdentifier(of: key) == identifier else { throw .keyNotInKeyring }
        return PlacedKey(bytes: key, place: .keyring(identifier))
    }

    /// Whether a key is in the preferred place, or the preferred place is a keyring that does not exist.
    func isInPlace(_ key: PlacedKey) -> Bool {
        switch key.place {
        case .file: !prefersKeyring || keyring == nil
        case .keyring: prefersKeyring
        }
    }

    /// Returns the key with which to encrypt the next version of the items file: if possible, a key in the preferred
    /// place. Otherwise, the current key, or the key in the key file.
    ///
    /// - Parameter current: the key of the current items file; `nil` if there is no file.
    func keyForWriting(after current: PlacedKey?) throws(Errno) -> PlacedKey {
        if let current, isInPlace(current) { return current }
        if prefersKeyring, let keyring, let key = try? keyInKeyring(keyring) { return key }
        if let current, prefersKeyring { return current }
        return PlacedKey(bytes: try file.readOrMake(), place: .file)
    }

    /// Returns a key in the keyring: a key from an earlier, interrupted move, or a new key. Checks that the keyring
    /// returns the key for its identifier, because later calls request the key by this identifier.
    private func keyInKeyring(_ keyring: any Keyring) throws -> PlacedKey {
        if let known = try keyring.anyKey(), known.count == Sealing.keyLength,
            let identifier = KeyIdentifier(of: known), try keyring.key(identifier) == known
        {
            return PlacedKey(bytes: known, place: .keyring(identifier))
        }
        guard trust.allowsNewKey else { throw KeyringError.failed("it did not return a key") }
        let key = try Sealing.makeKey()
        guard let identifier = KeyIdentifier(of: key) else { throw Sealing.Failed() }
        try keyring.store(key, as: identifier)
        SecretStoreStep.keyInKeyring.reach()
        // A keyring that does not return the key must not be trusted with it.
        guard try keyring.key(identifier) == key else {
            trust.noteLoss()
            try? keyring.remove(identifier)
            throw KeyringError.failed("it does not return the key")
        }
        return PlacedKey(bytes: key, place: .keyring(identifier))
    }

    /// Removes the key from the place where it is no longer used, after a file was written with another key.
    func removeOthers(than key: PlacedKey, before: PlacedKey?) {
        switch key.place {
        case .keyring: file.remove()
        case .file:
            guard let keyring, case .keyring(let identifier) = before?.place else { return }
            // A key that stays in the keyring opens no file.
            try? keyring.remove(identifier)
        }
    }
}

/// The decision whether new keys are stored in a keyring. After the keyring has lost a key, no new key is stored in it
/// for some time. Otherwise, the keyring would signal a change for each new key, and each signal would lead to another
/// new key.
private final class KeyringTrust: Sendable {
    // Leaf lock.
    private let distrustedUntil = Lock<ContinuousClock.Instant?>(nil)

    private static let pause: Duration = .seconds(600)

    var allowsNewKey: Bool { distrustedUntil.withLock { $0.map { $0 <= .now } ?? true } }

    func noteLoss() { distrustedUntil.withLock { $0 = .now + Self.pause } }
}
