import Conduit

/// A request about the desktop's keyring, which may hold the key that encrypts the stored passwords.
package struct KeyringCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.keyring }

    package enum Action: UInt8, Sendable, MessageValue {
        case describe = 0
        /// The unlocking of the keyring. The desktop asks the user for its password.
        case unlock = 1
        /// The replacement of the stored passwords if their key is lost. The files that cannot be decrypted are
        /// renamed, not deleted.
        case reset = 2
    }

    package let action: Action

    package init(_ action: Action) { self.action = action }

    package static let schema = Schema(Self.init(_:), Field(0, \.action))

    package struct Reply: SchemaMessage {
        /// A description of where the key is stored.
        package let place: String
        /// The reason why the key cannot be read, in one sentence.
        package let fault: String?

        package init(place: String, fault: String?) {
            self.place = place
            self.fault = fault
        }

        package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.fault))
    }
}
