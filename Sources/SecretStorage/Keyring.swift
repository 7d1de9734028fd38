import CSealing
import Secrets

/// A storage for keys outside of the store's directories, such as the desktop's keyring. The functions block.
package protocol Keyring: Sendable {
    /// Returns the key with the given identifier; `nil` if the keyring is unlocked and does not contain the key.
    func key(_ identifier: KeyIdentifier) throws(KeyringError) -> SecretBytes?

    /// Returns any key that was stored for this store; `nil` if there is none.
    func anyKey() throws(KeyringError) -> SecretBytes?

    /// Stores a key under the given identifier. The keyring must retain the key when the machine is restarted.
    func store(_ key: SecretBytes, as identifier: KeyIdentifier) throws(KeyringError)

    func remove(_ identifier: KeyIdentifier) throws(KeyringError)
}

/// The identifier of a key: a part of the key's digest. The identifier reveals nothing about the key, but can be used
/// to verify that given bytes are the key.
package struct KeyIdentifier: Sendable, Equatable {
    let bytes: [UInt8]

    static let length = 16

    /// Creates the identifier of a key; `nil` if libcrypto fails.
    package init?(of key: SecretBytes) {
        var digest = [UInt8](repeating: 0, count: Int(CSEALING_DIGEST_LENGTH))
        guard key.withBytes({ csealing_digest($0.baseAddress, $0.count, &digest) }) == 1 else { return nil }
        bytes = Array(digest.prefix(Self.length))
    }

    /// Creates an identifier from its bytes; `nil` if their count is not ``length``.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The identifier as hexadecimal digits.
    package var text: String {
        let digits = Array("0123456789abcdef")
        return bytes.reduce(into: "") { text, byte in text += "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])" }
    }
}

/// The place where the key of an encrypted file is stored: in the key file, or in the keyring.
enum KeyPlace: Sendable, Equatable {
    case file
    case keyring(KeyIdentifier)
}

/// A key, and the place where it is stored.
struct PlacedKey: Sendable {
    let bytes: SecretBytes
    let place: KeyPlace
}
