/// The credentials of a user that are sent with requests to one server.
///
/// With `passwordAsRequested`, the user and password are sent by the scheme that the server requests. If the server
/// offers both schemes, Digest is used. The first request is sent without credentials.
public enum HTTPCredentials: Sendable, Equatable {
    /// A user and a password in every request. The server can read them, and so can a listener on an unencrypted
    /// connection.
    case basic(user: String, password: String)
    /// A user, and a proof that the client has the password. The password itself is not sent.
    case digest(user: String, password: String)
    /// One of the schemes above, as requested by the server.
    case passwordAsRequested(user: String, password: String)
    /// A token that the server has issued.
    case bearer(token: String)

    /// Whether the client sends the credentials only after the server has requested them.
    var needsChallenge: Bool {
        switch self {
        case .digest, .passwordAsRequested: true
        case .basic, .bearer: false
        }
    }
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
    /// An empty mirror, so that no secret is dumped.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
