import Foundation

/// Any object can be an argument for `%@`, as on Apple's platforms. Foundation on Linux says so of its strings only.
extension NSObject: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that the list of arguments keeps and passes on: a string, because what formats strings on Linux knows few
    /// other objects.
    public var _cVarArgObject: any CVarArg { self as? NSString ?? NSString(string: description) }

    /// The object's address. Asked of ``_cVarArgObject``, which the list keeps.
    public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}
