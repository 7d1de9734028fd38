import Conduit

/// A request about the desktop's keyring, in which the key of the stored passwords may be.
package struct KeyringCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.keyring }

    package enum Action: UInt8, Sendable, MessageValue {
        case describe = 0
        /// The unlocking of the keyring. The desktop asks the user for its password.
        case unlock = 1
        /// The reset of the stored passwords if their key is lost. They are set aside.
        case reset = 2
    }

    package let action: Action

    package init(_ action: Action) { self.action = action }

    package static let schema = Schema(Self.init(_:), Field(0, \.action))

    package struct Reply: SchemaMessage {
        /// The place of the key.
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
