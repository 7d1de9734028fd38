import Foundation

// `type as UTTypeReference` compiles on Linux only if the bridging is declared apart from `ReferenceConvertible`,
// because the compiler does not see through its default for `_ObjectiveCType`.
extension UTType: _ObjectiveCBridgeable {
    /// The class to which `as` converts.
    public typealias _ObjectiveCType = UTTypeReference

    /// Returns the type as an object.
    public func _bridgeToObjectiveC() -> UTTypeReference {
        UTTypeReference(type: self)
    }

    /// Sets the type of an object; every object has one.
    public static func _forceBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) {
        result = source.type
    }

    /// Sets the type of an object; every object has one. Returns `true`.
    public static func _conditionallyBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) -> Bool {
        result = source.type
        return true
    }

    /// Returns the type of an object; the root of all types without an object, which Swift code cannot cause.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: UTTypeReference?) -> UTType {
        source?.type ?? .item
    }
}

extension UTType: ReferenceConvertible {
    /// The class that holds the same type.
    public typealias ReferenceType = UTTypeReference
}
