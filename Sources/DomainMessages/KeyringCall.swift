import Conduit

/// A request about the desktop's keyring, which may contain the key with which stored passwords are encrypted.
package struct KeyringCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.keyring }

    package enum Action: UInt8, Sendable, MessageValue {
        case describe = 0
        /// Unlocks the keyring. The desktop asks the user for the keyring's password.
        case unlock = 1
        /// Replaces the stored passwords, because their key is lost. The files that cannot be decrypted are renamed,
        /// not deleted.
        case reset = 2
    }

    package let action: Action

    package init(_ action: Action) { self.action = action }

    package static let schema = Schema(Self.init(_:), Field(0, \.action))

    package struct Reply: SchemaMessage {
        /// A phrase for the user that says where the key is stored.
        package let place: String
        /// One sentence that says why the key cannot be read; `nil` if it can be read.
        package let fault: String?

        package init(place: String, fault: String?) {
            self.place = place
            self.fault = fault
        }

        package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.fault))
    }
}
