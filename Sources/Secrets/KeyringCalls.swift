import Conduit

// The calls about the keyring of the desktop, from the daemon to `purvey-bus`, which speaks D-Bus. Their numbers are
// 116 to 120. 121 is the notice in the other direction.

/// Searches for a key in the keyring.
package struct FindKeyCall: Call, SchemaMessage {
    package static var method: UInt64 { 116 }

    /// The name of the store to which the key belongs.
    package let store: String
    /// The key's identifier; `nil` for any key of the store.
    package let identifier: String?

    package init(store: String, identifier: String?) {
        self.store = store
        self.identifier = identifier
    }

    package static let schema = Schema(Self.init, Field(0, \.store), Field(1, \.identifier))

    package struct Reply: SchemaMessage {
        /// The key; `nil` if the keyring is unlocked and does not contain the key.
        package let key: SecretBytes?

        package init(key: SecretBytes?) { self.key = key }

        package static let schema = Schema(Self.init, Field(0, \.key))
    }
}

/// Stores a key in the default collection of the keyring.
package struct StoreKeyCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 117 }

    package let store: String
    package let identifier: String
    package let key: SecretBytes

    package init(store: String, identifier: String, key: SecretBytes) {
        self.store = store
        self.identifier = identifier
        self.key = key
    }

    package static let schema = Schema(Self.init, Field(0, \.store), Field(1, \.identifier), Field(2, \.key))
}

/// Removes a key from the keyring.
package struct RemoveKeyCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 118 }

    package let store: String
    package let identifier: String

    package init(store: String, identifier: String) {
        self.store = store
        self.identifier = identifier
    }

    package static let schema = Schema(Self.init, Field(0, \.store), Field(1, \.identifier))
}

/// Asks whether the keyring can be used. Fails with ``KeyringError/locked`` or ``KeyringError/absent`` if not.
package struct CheckKeyringCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 119 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// Makes the desktop ask the user to unlock the keyring's default collection, and the keyring's items that contain keys
/// of the given store. The reply is sent when all of them are unlocked. The call is made only in response to an action
/// of the user.
package struct UnlockKeyringCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 120 }

    package let store: String

    package init(store: String) { self.store = store }

    package static let schema = Schema(Self.init, Field(0, \.store))
}

/// Notifies the daemon that the keyring has appeared, disappeared or changed.
package struct KeyringChangedNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 121 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// The reason why a keyring cannot be used at present.
package enum KeyringError: Error, Equatable {
    /// The keyring is locked, and only the user can unlock it.
    case locked
    /// There is no keyring, or it does not reply.
    case absent
    /// The keyring refused a request, or its replies are invalid. The associated value is the reason.
    case failed(String)
}

extension KeyringError {
    /// The domain of these errors when they are sent over a connection.
    private static let domain = "Keyring"

    package var remote: RemoteError {
        switch self {
        case .locked: RemoteError(domain: Self.domain, code: 1, message: "the keyring is locked")
        case .absent: RemoteError(domain: Self.domain, code: 2, message: "there is no keyring")
        case .failed(let reason): RemoteError(domain: Self.domain, code: 3, message: reason)
        }
    }

    /// Converts the error of a call that failed to a keyring error.
    package init(_ error: ConduitError) {
        guard case .remote(let failure) = error, failure.domain == Self.domain else {
            self = .absent
            return
        }
        self =
            switch failure.code {
            case 1: .locked
            case 2: .absent
            default: .failed(failure.message)
            }
    }
}
