/// An error in the form in which it is sent over a connection: domain, code and message, as in Foundation's errors.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    package let domain: String
    package let code: Int64
    /// A message for users. May be empty.
    package let message: String
    /// The message of the underlying error, if any.
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
    /// The domain of errors that the other side's connection itself reports.
    package static let conduitDomain = "Conduit"

    /// The codes of the domain `conduitDomain`.
    package enum ConduitCode: Int64, Sendable {
        /// The handler dropped the call without a reply.
        case unanswered = 1
        /// The other side does not serve the call.
        case unknownMethod = 2
        /// The request is not a valid message of the call's type.
        case malformedRequest = 3
        /// Descriptors of the request were lost, because the other side has reached its limit of open descriptors.
        case descriptorsLost = 4
        /// The request is larger than the other side allows.
        case oversized = 5
        /// The maximum number of calls of this connection that the other side serves at one time is reached.
        case tooManyCalls = 6
        /// The reply could not be sent.
        case replyNotSent = 7
        /// The request has more descriptors than allowed.
        case tooManyDescriptors = 8
    }

    package init(_ code: ConduitCode, _ message: String) {
        self.init(domain: Self.conduitDomain, code: code.rawValue, message: message)
    }

    /// The code, if the error comes from the other side's connection and not from its handlers.
    package var conduitCode: ConduitCode? {
        domain == Self.conduitDomain ? ConduitCode(rawValue: code) : nil
    }
}
