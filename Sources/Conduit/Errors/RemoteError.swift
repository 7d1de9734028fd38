/// An error that is sent over a connection as a domain, a code and a message, like Foundation's errors.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    package let domain: String
    package let code: Int64
    /// A message for users. May be empty.
    package let message: String
    /// The message of the underlying error; `nil` if there is none.
    package let underlying: String?

    package init(domain: String, code: Int64, message: String, underlying: String? = nil) {
        self.domain = domain
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    package var description: String {
        let words = message.isEmpty ? "\(domain) error \(code)" : message
        return underlying.map { "\(words) (\($0))" } ?? words
    }
}

extension RemoteError {
    /// The domain of errors that come from the other side's connection itself, and not from a handler.
    package static let conduitDomain = "Conduit"

    /// The codes of the domain `conduitDomain`.
    package enum ConduitCode: Int64, Sendable {
        /// The handler released the call without a reply.
        case unanswered = 1
        /// The other side does not serve the call.
        case unknownMethod = 2
        /// The request is not a valid message of the call's type.
        case malformedRequest = 3
        /// Descriptors of the request were lost, because the other side has reached its limit of open descriptors.
        case descriptorsLost = 4
        /// The request is larger than the other side allows.
        case oversized = 5
        /// The other side already serves the maximum number of calls of this connection.
        case tooManyCalls = 6
        /// The reply could not be sent.
        case replyNotSent = 7
        /// The request has more descriptors than allowed.
        case tooManyDescriptors = 8
    }

    package init(_ code: ConduitCode, _ message: String) {
        self.init(domain: Self.conduitDomain, code: code.rawValue, message: message)
    }

    /// The code, if the error comes from the other side's connection itself; `nil` if it comes from a handler.
    package var conduitCode: ConduitCode? {
        domain == Self.conduitDomain ? ConduitCode(rawValue: code) : nil
    }
}
