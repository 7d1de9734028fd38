/// The proof of a user's identity that requests to one server carry.
///
/// The user and password of `passwordAsRequested` go in the way that the server asks for, Digest if it offers both.
/// The server sees a first request without them.
public enum HTTPCredentials: Sendable, Equatable {
    /// A user and a password in every request, readable for the server and for any listener of an unencrypted
    /// connection.
    case basic(user: String, password: String)
    /// A user, and a proof that the client knows the password.
    case digest(user: String, password: String)
    /// Either of the former, as the server requests.
    case passwordAsRequested(user: String, password: String)
    /// A token of the server's own.
    case bearer(token: String)
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credentials. Secrets are never printed.
    public var description: String {
        switch self {
        case .basic: "Basic"
        case .digest: "Digest"
        case .passwordAsRequested: "Basic or Digest"
        case .bearer: "Bearer"
        }
    }

    /// The kind of the credentials.
    public var debugDescription: String { description }
    /// Nothing, so that no secret is dumped.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
