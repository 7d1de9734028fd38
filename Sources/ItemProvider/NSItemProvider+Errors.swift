import Foundation

extension NSItemProvider {
    /// The domain of the errors in ``ErrorCode``: `NSItemProviderErrorDomain`.
    public class var errorDomain: String { "NSItemProviderErrorDomain" }

    /// The reason why a load failed.
    public enum ErrorCode: Int, Sendable {
        /// A failure that has no code of its own.
        case unknownError = -1
        /// The item has no representation of the requested type, or the representation could not be produced.
        case itemUnavailableError = -1000
        /// The load handler produced a value whose class differs from the requested class.
        case unexpectedValueClassError = -1100
        /// The representation cannot be converted to the requested class.
        case unavailableCoercionError = -1200
    }
}

/// The errors of loads. They are in `NSItemProvider.errorDomain`, with their cause under `NSUnderlyingErrorKey`. There
/// are two exceptions: a cancelled load fails with `CocoaError.userCancelled`, and an error of a reading class is
/// passed on unchanged.
package enum ItemProviderError {
    /// Returns the error for an item without a representation that conforms to the requested type.
    package static func noRepresentation(of typeIdentifier: String, registered: [String]) -> NSError {
        let offered = registered.isEmpty ? "the item has no representations" : registered.joined(separator: ", ")
        return make(
            .itemUnavailableError, "Cannot load representation of type \(typeIdentifier)",
            reason: "No registered representation conforms to it (\(offered)).")
    }

    /// Returns the error for an item that was created without an object.
    package static func noItem(_ typeIdentifier: String) -> NSError {
        make(.itemUnavailableError, "There is no item of type \(typeIdentifier)")
    }

    /// Returns the error for a representation that could not be produced.
    package static func cannotLoad(_ typeIdentifier: String, because error: any Error) -> any Error {
        let cause = CocoaError.known(error)
        if isCancellation(cause) { return cause }
        return make(
            .itemUnavailableError, "Cannot load representation of type \(typeIdentifier)",
            reason: describe(error), underlying: cause)
    }

    /// Returns the error for a load handler that completed with neither a value nor an error.
    package static func emptyAnswer() -> NSError {
        make(.unknownError, "The load handler returned neither a value nor an error")
    }

    /// Returns the error for an item whose process has ended or has withdrawn the item.
    package static func providerIsGone() -> NSError {
        make(.itemUnavailableError, "The process that promised this item has ended or withdrawn it")
    }

    /// Returns the error for an item without a representation that a class can read.
    package static func cannotRead(as name: String, registered: [String]) -> NSError {
        make(
            .itemUnavailableError, "No representation of the item can be read as \(name)",
            reason: "The item offers \(registered.isEmpty ? "nothing" : registered.joined(separator: ", ")).")
    }

    /// Returns the error for data that a reading class cannot read.
    package static func cannotCoerce(to name: String, from typeIdentifier: String) -> NSError {
        make(.unavailableCoercionError, "The data of type \(typeIdentifier) cannot be read as \(name)")
    }

    /// Returns the error for a load handler or a reading class that produced an object of another class than the
    /// requested one.
    package static func unexpectedClass(of value: Any, expected: Any.Type) -> NSError {
        make(.unexpectedValueClassError, "Expected an object of class \(expected), got one of class \(type(of: value))")
    }

    /// Returns the error for a load handler's file that cannot be passed to the consumer.
    package static func unusableFile(_ reason: String, underlying: (any Error)? = nil) -> NSError {
        make(.itemUnavailableError, reason, underlying: underlying)
    }

    /// Returns the error for a load that was cancelled by its consumer or by the provider's own progress.
    package static func cancelled() -> any Error { CocoaError(.userCancelled) }

    package static func isCancellation(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue
    }

    /// Creates an error in the item provider's domain with a sentence for the user and, if given, its cause.
    package static func make(
        _ code: NSItemProvider.ErrorCode, _ description: String, reason: String? = nil, underlying: (any Error)? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return NSError(domain: NSItemProvider.errorDomain, code: code.rawValue, userInfo: userInfo)
    }

    private static func describe(_ error: any Error) -> String {
        if type(of: error) is NSError.Type || error is CocoaError || error is any LocalizedError {
            return error.localizedDescription
        }
        // For other Swift errors Foundation would say only that "the operation could not be completed".
        return "\(error)"
    }
}
