import CRuntimeSupport
import Foundation

/// The principal class of an extension, which handles the extension's requests.
///
/// Sendable because a class object has no state of its own.
package struct PrincipalClass: @unchecked Sendable {
    private let type: any (NSObject & NSExtensionRequestHandling).Type

    /// Creates the value from a class of this process.
    package init(_ type: any (NSObject & NSExtensionRequestHandling).Type) { self.type = type }

    /// Finds the class of an extension by the name in its property list, as ``find(_:executable:)`` does.
    ///
    /// - Throws: ``ExtensionBundleError`` if the class does not exist, or cannot handle requests.
    package init(named name: String, executable: String) throws(ExtensionBundleError) {
        try self.init(Self.find(name, executable: executable), named: name)
    }

    /// Checks a class that was found by name.
    ///
    /// - Throws: ``ExtensionBundleError`` if it cannot handle requests.
    init(_ found: AnyClass, named name: String) throws(ExtensionBundleError) {
        guard let handler = found as? any (NSObject & NSExtensionRequestHandling).Type else {
            throw ExtensionBundleError("the class \(name) is not an NSObject that handles extension requests")
        }
        type = handler
    }

    /// Finds a class by its name in an extension's property list. The name is `Module.Class`, or `Class` if the module
    /// has the name of the executable. The variable `$(PRODUCT_MODULE_NAME)` may replace the module's name.
    static func find(_ name: String, executable: String) throws(ExtensionBundleError) -> AnyClass {
        let module = Self.module(of: executable)
        let plain = name.replacingOccurrences(of: Self.moduleVariable + ".", with: "")
        let candidates =
            name.hasPrefix(Self.moduleVariable + ".") ? ["\(module).\(plain)"] : [plain, "\(module).\(plain)"]
        guard let found = candidates.lazy.compactMap({ NSClassFromString($0) }).first else {
            throw ExtensionBundleError("the program has no class \(candidates.joined(separator: " or "))")
        }
        return found
    }

    /// The build variable for the name of the program's module in a property list.
    static let moduleVariable = "$(PRODUCT_MODULE_NAME)"

    /// Returns the name of a program's main module.
    static func module(of executable: String) -> String {
        String(executable.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// Creates an object of the class with its `init()`.
    func make() -> any NSExtensionRequestHandling { type.newObject() }

    /// Creates an object of a class with the class's own `init()`.
    ///
    /// - Parameter type: The dynamic class of the new object, regardless of the static type `Object`.
    package static func object<Object: NSObject>(of type: Object.Type) -> Object {
        // A type's identity is the address of its metadata. The new object is of that class and has one reference,
        // which no other code releases.
        let metadata = UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
        return Unmanaged<Object>.fromOpaque(cswift_make_object(metadata)).takeRetainedValue()
    }
}

extension NSExtensionRequestHandling where Self: NSObject {
    fileprivate static func newObject() -> any NSExtensionRequestHandling { PrincipalClass.object(of: self) }
}
