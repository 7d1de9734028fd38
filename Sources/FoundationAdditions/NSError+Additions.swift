import Foundation

/// The key of an array of errors that an error comes of.
///
/// Source: Foundation, `NSError.h`.
public let NSMultipleUnderlyingErrorsKey = "NSMultipleUnderlyingErrorsKey"

extension NSError {
    /// An error without a domain. `NSError()` finds it: the initializer of `NSObject` cannot be overridden from outside.
    public convenience init(_unused: Void = ()) {
        self.init(domain: "", code: 0)
    }

    /// The errors that this one comes of: the one under `NSUnderlyingErrorKey`, and those under
    /// ``NSMultipleUnderlyingErrorsKey``.
    public var underlyingErrors: [any Error] {
        let one = userInfo[NSUnderlyingErrorKey] as? any Error
        let several = userInfo[NSMultipleUnderlyingErrorsKey] as? [any Error]
        return (one.map { [$0] } ?? []) + (several ?? [])
    }
}
