/// An error as it crosses a connection: by domain, code and words, as Foundation's errors have them.
package struct RemoteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let domain: String
    package let code: Int64
    /// For people. May be empty.
    package let message: String
    /// The words of the error behind this one, if there is one.
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

extension RemoteFailure {
    /// The domain of errors that the other side's connection itself answers with.
    package static let conduitDomain = "Conduit"

    /// The codes of the domain `conduitDomain`.
    package enum ConduitCode: Int64, Sendable {
        /// The handler let go of the call without an answer.
        case unanswered = 1
        /// The other side serves no such call.
        case unknownMethod = 2
        /// The request is not the message that the call takes.
        case malformedRequest = 3
        /// Descriptors of the request got lost: the other side has as many open as it may have.
        case descriptorsLost = 4
        /// The request is larger than the other side takes.
        case oversized = 5
        /// The other side serves so many calls of this connection that it takes no more.
        case tooManyCalls = 6
        /// The answer could not be sent.
        case replyNotSent = 7
        /// The request has more descriptors attached than a message may carry.
        case tooManyDescriptors = 8
    }

    package init(_ code: ConduitCode, _ message: String) {
        self.init(domain: Self.conduitDomain, code: code.rawValue, message: message)
    }

    /// The code, if the error comes from the other side's connection rather than from what it serves.
    package var conduitCode: ConduitCode? {
        domain == Self.conduitDomain ? ConduitCode(rawValue: code) : nil
    }
}
