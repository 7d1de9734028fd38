import Foundation

/// The reason why a domain cannot be set up: one sentence with advice to the user.
public struct DAVSetUpError: LocalizedError, Equatable, Sendable {
    /// The sentence.
    public let message: String

    /// Creates an error.
    public init(_ message: String) { self.message = message }

    /// The sentence.
    public var errorDescription: String? { message }
}
