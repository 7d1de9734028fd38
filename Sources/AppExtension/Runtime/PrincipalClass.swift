import CSwiftRuntime
import Foundation

/// The class of an extension's bundle that handles its requests.
///
/// Sendable because a class object has no state of its own.
package struct PrincipalClass: @unchecked Sendable {
    private let type: any (NSObject & NSExtensionRequestHandling).Type

    /// A class of this process.
    package init(_ type: any (NSObject & NSExtensionRequestHandling).Type) { self.type = type }

    /// Finds the class of an extension by the name in its property list: `Module.Class`, `Class` of the module that is named like
    /// the executable, or either with `$(PRODUCT_MODULE_NAME)` before it.
    ///
    /// - Throws: ``ExtensionFault`` when there is none, or it cannot handle requests.
    package init(named name: String, executable: String) throws(ExtensionFault) {
        let module = Self.module(of: executable)
        let plain = name.replacingOccurrences(of: Self.moduleVariable + ".", with: "")
        let candidates =
            name.hasPrefix(Self.moduleVariable + ".") ? ["\(module).\(plain)"] : [plain, "\(module).\(plain)"]
        guard let found = candidates.lazy.compactMap({ NSClassFromString($0) }).first else {
            throw ExtensionFault("the program has no class \(candidates.joined(separator: " or "))")
        }
        guard let handler = found as? any (NSObject & NSExtensionRequestHandling).Type else {
            throw ExtensionFault("the class \(name) is not an NSObject that handles extension requests")
        }
        type = handler
    }

    /// What stands in a property list for the name of the program's module.
    static let moduleVariable = "$(PRODUCT_MODULE_NAME)"

    /// The name of the module that a program is made of.
    static func module(of executable: String) -> String {
        String(executable.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// A new object of the class, made by its `init()`.
    func make() -> any NSExtensionRequestHandling {
        // A type's identity is the address of its metadata; the object that comes back is of that class and has one reference.
        let metadata = UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
        return type.object(fromOwned: cswift_make_object(metadata))
    }
}

extension NSExtensionRequestHandling where Self: NSObject {
    /// Proved by the caller: the pointer is to an object of this very class, with a reference that nobody else will release.
    fileprivate static func object(fromOwned pointer: UnsafeMutableRawPointer) -> any NSExtensionRequestHandling {
        Unmanaged<Self>.fromOpaque(pointer).takeRetainedValue()
    }
}
