import Conduit
import Foundation

/// An error as a message to another process: domain, code, description, and the underlying error.
///
/// Errors are not archived as objects: Foundation's archiver on Linux ends the process on some of them, and an
/// archive from another process could name any class.
package struct FailureMessage: SchemaMessage {
    package let domain: String
    package let code: Int
    /// The sentence for the user.
    package let message: String
    /// The failure reason, if the error has one besides its description.
    package let reason: String?
    /// The underlying error: one element or none.
    private let underlying: [FailureMessage]

    /// The maximum number of nested underlying errors that are sent.
    private static let depth = 4

    package init(_ error: any Error) { self.init(error, depth: Self.depth) }

    private init(_ error: any Error, depth: Int) {
        let bridged = error as NSError
        domain = bridged.domain
        code = bridged.code
        message = Self.sentence(error, bridged)
        reason = bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        let cause = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
        underlying = depth > 0 ? cause.map { [FailureMessage($0, depth: depth - 1)] } ?? [] : []
    }

    /// Returns the sentence for the user. If Foundation's sentence would contain only domain and code, returns the
    /// error's own description.
    private static func sentence(_ error: any Error, _ bridged: NSError) -> String {
        // The type is checked and not the error, because every error can be cast to NSError and its protocols.
        let type = type(of: error)
        guard !(type is NSError.Type), !(type is any LocalizedError.Type), !(type is any CustomNSError.Type),
            type is any CustomStringConvertible.Type
        else { return bridged.localizedDescription }
        return "\(error)"
    }

    /// The error for the consumer.
    package var error: NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
        if let cause = underlying.first { userInfo[NSUnderlyingErrorKey] = cause.error }
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }

    private init(domain: String, code: Int, message: String, reason: String?, underlying: [FailureMessage]) {
        self.domain = domain
        self.code = code
        self.message = message
        self.reason = reason
        self.underlying = underlying
    }

    package static let schema = Schema(
        Self.init(domain:code:message:reason:underlying:), Field(0, \.domain), Field(1, \.code),
        Field(2, \.message), Field(3, \.reason), Field(4, unlessEmpty: \.underlying))
}
