import LinuxSystem
import Secrets

/// The two places where a store's key can be: the key file and a keyring. The header of the encrypted items file names
/// the place of its key. Therefore replacing the items file also changes the place of the key, in one atomic step. The
/// functions block.
struct SecretKeys: Sendable {
    let file: SecretKeyFile
    let keyring: (any Keyring)?
    /// Whether the keyring is the preferred place of the key. If not, the key file is the preferred place. A key in the
    /// other place is moved as soon as both places can be used.
    let prefersKeyring: Bool
    private let trust = KeyringTrust()

    init(file: SecretKeyFile, keyring: (any Keyring)?, prefersKeyring: Bool) {
        (self.file, self.keyring, self.prefersKeyring) = (file, keyring, prefersKeyring)
    }

    /// Returns the key with the given identifier from the keyring.
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

    /// Whether the key is in the preferred place. Also `true` for a key in the key file if there is no keyring.
    func isInPlace(_ key: PlacedKey) -> Bool {
        switch key.place {
        case .file: !prefersKeyring || keyring == nil
        case .keyring: prefersKeyring
        }
    }

    /// Returns the key with which to encrypt the next version of the items file: a key in the preferred place if
    /// possible; otherwise the current key, or the key in the key file.
    ///
    /// - Parameter current: the key of the current items file; `nil` if there is no items file.
    func keyForWriting(after current: PlacedKey?) throws(Errno) -> PlacedKey {
        if let current, isInPlace(current) { return current }
        if prefersKeyring, let keyring, let key = try? keyInKeyring(keyring) { return key }
        if let current, prefersKeyring { return current }
        return PlacedKey(bytes: try file.readOrMake(), place: .file)
    }

    /// Returns a key that is in the keyring. This is a key that an interrupted move has left there, or a new key.
    /// Checks that the keyring returns the key when asked for the key's identifier, because later reads depend on this.
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

    /// Removes the former key `before` from its place, after the items file was encrypted with another key in another
    /// place.
    func removeOthers(than key: PlacedKey, before: PlacedKey?) {
        switch key.place {
        case .keyring: file.remove()
        case .file:
            guard let keyring, case .keyring(let identifier) = before?.place else { return }
            // The error is ignored, because a key that stays in the keyring no longer opens any file.
            try? keyring.remove(identifier)
        }
    }
}

/// Decides whether new keys are stored in a keyring. After the keyring has lost a key, no new key is stored in it for
/// ten minutes. Otherwise, each new key would make the keyring signal a change, and each signal would lead to another
/// new key.
private final class KeyringTrust: Sendable {
    // Leaf lock.
    private let distrustedUntil = Lock<ContinuousClock.Instant?>(nil)

    private static let pause: Duration = .seconds(600)

    var allowsNewKey: Bool { distrustedUntil.withLock { $0.map { $0 <= .now } ?? true } }

    func noteLoss() { distrustedUntil.withLock { $0 = .now + Self.pause } }
}
