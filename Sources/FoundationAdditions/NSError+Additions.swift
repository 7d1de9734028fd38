// In a file of its own because nothing else in this module extends NSError.
import Foundation

/// The key in an error's `userInfo` for an array of underlying errors.
///
/// Source: Foundation, `NSError.h`.
public let NSMultipleUnderlyingErrorsKey = "NSMultipleUnderlyingErrorsKey"

extension NSError {
    /// Creates an error without a domain. `NSError()` resolves to this initializer, because the initializer of
    /// `NSObject` cannot be overridden from another module.
    public convenience init(_unused: Void = ()) {
        self.init(domain: "", code: 0)
    }

    /// The underlying errors: the error under `NSUnderlyingErrorKey`, followed by the errors under
    /// ``NSMultipleUnderlyingErrorsKey``.
    public var underlyingErrors: [any Error] {
        let one = userInfo[NSUnderlyingErrorKey] as? any Error
        let several = userInfo[NSMultipleUnderlyingErrorsKey] as? [any Error]
        return (one.map { [$0] } ?? []) + (several ?? [])
    }
}
