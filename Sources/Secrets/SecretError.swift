import Conduit

/// The reason why a request about stored passwords failed. The error never contains an attribute or a password. The raw
/// value is sent over connections.
package enum SecretError: Int64, Error, Sendable {
    /// An item with the same primary key exists already.
    case duplicate = 1
    case notFound = 2
    /// The request contradicts itself, or is not a valid message.
    case invalid = 3
    /// The caller is in no access group, or is not in the group that the request names.
    case groupRefused = 4
    /// The password or the attributes of an item exceed a limit.
    case tooLarge = 5
    /// The access group already has the maximum number of items, or its items have the maximum total size.
    case groupFull = 6
    case diskFull = 7
    /// The items file or the key file cannot be read or written.
    case inputOutput = 8
    /// No store can be reached, or another process has held its lock for too long.
    case unavailable = 9
    /// The key of the store is in the desktop's keyring, which only the user can unlock.
    case keyringLocked = 10
    /// The key of the store is in the desktop's keyring, which does not reply.
    case keyringUnreachable = 11
    /// The key of the store is in a keyring, but the keyring that is now available does not contain it.
    case keyNotInKeyring = 12

    /// Whether the cause of the error is the keyring that contains the key of the store.
    package var isOfKeyring: Bool { rawValue >= Self.keyringLocked.rawValue }
}

extension SecretError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .duplicate: "the password exists already"
        case .notFound: "there is no such password"
        case .invalid: "the request for a password is not valid"
        case .groupRefused: "the program is not in the access group"
        case .tooLarge: "the password or its attributes are too large"
        case .groupFull: "the access group has too many passwords: remove some"
        case .diskFull: "the disk has no room for passwords: free up space"
        case .inputOutput: "the file of passwords cannot be read or written"
        case .unavailable: "the store of passwords cannot be reached"
        case .keyringLocked: "the keyring is locked: unlock it ('purvey keyring unlock')"
        case .keyringUnreachable:
            "the desktop's keyring, which has the key of the stored passwords, cannot be reached: log in to the desktop"
        case .keyNotInKeyring:
            "the keyring does not have the key of the stored passwords: open the keyring that has it, or give them up "
                + "('purvey keyring reset')"
        }
    }
}

extension SecretError {
    /// The domain of these errors when they are sent over a connection.
    private static let domain = "Secrets"

    package var remote: RemoteError { RemoteError(domain: Self.domain, code: rawValue, message: description) }

    /// Converts the error of a call that failed to a secret error.
    package init(_ error: ConduitError) {
        switch error {
        case .remote(let failure) where failure.domain == Self.domain:
            self = SecretError(rawValue: failure.code) ?? .unavailable
        case .remote(let failure) where failure.conduitCode == .malformedRequest: self = .invalid
        case .oversized: self = .tooLarge
        case .remote(let failure) where failure.conduitCode == .oversized: self = .tooLarge
        default: self = .unavailable
        }
    }
}
