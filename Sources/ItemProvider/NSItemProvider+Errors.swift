import Foundation

extension NSItemProvider {
    /// The domain of the errors in ``ErrorCode``: `NSItemProviderErrorDomain`.
    public class var errorDomain: String { "NSItemProviderErrorDomain" }

    /// Why a load failed.
    public enum ErrorCode: Int, Sendable {
        /// Something failed that has no code of its own.
        case unknownError = -1
        /// The item has no representation of the asked type, or the one it promised could not be had.
        case itemUnavailableError = -1000
        /// The load handler produced a value of another class than the one that was asked for.
        case unexpectedValueClassError = -1100
        /// The representation cannot be turned into the class that was asked for.
        case unavailableCoercionError = -1200
    }
}

/// The errors that loads complete with. They are in `NSItemProvider.errorDomain`, and what lies behind them is under
/// `NSUnderlyingErrorKey`; but a cancelled load is `CocoaError.userCancelled`, and what a reading class throws arrives as it is.
package enum ItemProviderError {
    /// No registered representation conforms to the asked type.
    package static func noRepresentation(of typeIdentifier: String, registered: [String]) -> NSError {
        let offered = registered.isEmpty ? "the item has no representations" : registered.joined(separator: ", ")
        return make(
            .itemUnavailableError, "Cannot load representation of type \(typeIdentifier)",
            reason: "No registered representation conforms to it (\(offered)).")
    }

    /// The item was made from nothing.
    package static func noItem(_ typeIdentifier: String) -> NSError {
        make(.itemUnavailableError, "There is no item of type \(typeIdentifier)")
    }

    /// The promised representation could not be had.
    package static func cannotLoad(_ typeIdentifier: String, because error: any Error) -> any Error {
        let cause = CocoaError.known(error)
        if isCancellation(cause) { return cause }
        return make(
            .itemUnavailableError, "Cannot load representation of type \(typeIdentifier)",
            reason: describe(error), underlying: cause)
    }

    /// The load handler called back with neither a value nor an error.
    package static func emptyAnswer() -> NSError {
        make(.unknownError, "The load handler returned neither a value nor an error")
    }

    /// The process that made the promise has ended, or took it back.
    package static func providerIsGone() -> NSError {
        make(.itemUnavailableError, "The process that promised this item has ended or withdrawn it")
    }

    /// No registered representation can be read by a class.
    package static func cannotRead(as name: String, registered: [String]) -> NSError {
        make(
            .itemUnavailableError, "No representation of the item can be read as \(name)",
            reason: "The item offers \(registered.isEmpty ? "nothing" : registered.joined(separator: ", ")).")
    }

    /// Data that a reading class refused or does not understand.
    package static func cannotCoerce(to name: String, from typeIdentifier: String) -> NSError {
        make(.unavailableCoercionError, "The data of type \(typeIdentifier) cannot be read as \(name)")
    }

    /// A load handler or a reading class produced an object of another class than the one that was asked for.
    package static func unexpectedClass(of value: Any, expected: Any.Type) -> NSError {
        make(.unexpectedValueClassError, "Expected an object of class \(expected), got one of class \(type(of: value))")
    }

    /// A file that a load handler named and that cannot be handed over.
    package static func unusableFile(_ reason: String, underlying: (any Error)? = nil) -> NSError {
        make(.itemUnavailableError, reason, underlying: underlying)
    }

    /// The load was cancelled, by its consumer or by the provider's own progress.
    package static func cancelled() -> any Error { CocoaError(.userCancelled) }

    package static func isCancellation(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue
    }

    /// An error in the item-provider domain with a sentence for people and, where there is one, its cause.
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
