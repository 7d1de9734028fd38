import CSwiftRuntime
import Foundation

/// The class of an extension's bundle that handles its requests.
///
/// Sendable because a class object has no state of its own.
package struct PrincipalClass: @unchecked Sendable {
    private let type: any (NSObject & NSExtensionRequestHandling).Type

    /// A class of this process.
    package init(_ type: any (NSObject & NSExtensionRequestHandling).Type) { self.type = type }

    /// Finds the class of an extension by the name in its property list, as ``find(_:executable:)`` does.
    ///
    /// - Throws: ``ExtensionFault`` when there is none, or it cannot handle requests.
    package init(named name: String, executable: String) throws(ExtensionFault) {
        try self.init(Self.find(name, executable: executable), named: name)
    }

    /// A class that was found by a name.
    ///
    /// - Throws: ``ExtensionFault`` when it cannot handle requests.
    init(_ found: AnyClass, named name: String) throws(ExtensionFault) {
        guard let handler = found as? any (NSObject & NSExtensionRequestHandling).Type else {
            throw ExtensionFault("the class \(name) is not an NSObject that handles extension requests")
        }
        type = handler
    }

    /// Finds a class by the name that an extension's property list has for it: `Module.Class`, `Class` of the module that is
    /// named like the executable, or either with `$(PRODUCT_MODULE_NAME)` before it.
    static func find(_ name: String, executable: String) throws(ExtensionFault) -> AnyClass {
        let module = Self.module(of: executable)
        let plain = name.replacingOccurrences(of: Self.moduleVariable + ".", with: "")
        let candidates =
            name.hasPrefix(Self.moduleVariable + ".") ? ["\(module).\(plain)"] : [plain, "\(module).\(plain)"]
        guard let found = candidates.lazy.compactMap({ NSClassFromString($0) }).first else {
            throw ExtensionFault("the program has no class \(candidates.joined(separator: " or "))")
        }
        return found
    }

    /// What stands in a property list for the name of the program's module.
    static let moduleVariable = "$(PRODUCT_MODULE_NAME)"

    /// The name of the module that a program is made of.
    static func module(of executable: String) -> String {
        String(executable.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// A new object of the class, made by its `init()`.
    func make() -> any NSExtensionRequestHandling { type.newObject() }

    /// A new object of a class, made by the class's own `init()`.
    ///
    /// - Parameter type: the class itself, whatever class it is known as.
    package static func object<Object: NSObject>(of type: Object.Type) -> Object {
        // A type's identity is the address of its metadata; the object that comes back is of that class and has one
        // reference, which nobody else will release.
        let metadata = UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
        return Unmanaged<Object>.fromOpaque(cswift_make_object(metadata)).takeRetainedValue()
    }
}

extension NSExtensionRequestHandling where Self: NSObject {
    fileprivate static func newObject() -> any NSExtensionRequestHandling { PrincipalClass.object(of: self) }
}
