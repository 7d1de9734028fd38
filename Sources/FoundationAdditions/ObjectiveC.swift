// Declarations of Apple's module ObjectiveC, which Foundation exports.
import Foundation

/// Makes every object a valid argument for `%@`, as on Apple's platforms. Foundation on Linux allows only its strings.
extension NSObject: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that the argument list retains and passes on. It is a string, because string formatting on Linux
    /// supports few other objects.
    public var _cVarArgObject: any CVarArg { self as? NSString ?? NSString(string: description) }

    /// The address of this object. The argument list reads this property of the object in ``_cVarArgObject``, which it
    /// retains.
    public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

/// Calls `body` and returns its result.
///
/// There are no autoreleased objects on Linux: an object is destroyed when its last reference is released.
///
/// Source: ObjectiveC, which Foundation exports.
public func autoreleasepool<Result, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure)
    -> Result
{
    try body()
}
