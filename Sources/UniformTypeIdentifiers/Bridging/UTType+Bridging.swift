import Foundation

// `type as UTTypeReference` compiles on Linux only where the bridging is declared apart from `ReferenceConvertible`,
// whose default for `_ObjectiveCType` the compiler does not see through.
extension UTType: _ObjectiveCBridgeable {
    /// The class to which `as` converts.
    public typealias _ObjectiveCType = UTTypeReference

    /// The type as an object.
    public func _bridgeToObjectiveC() -> UTTypeReference {
        UTTypeReference(type: self)
    }

    /// The type of an object; every object has one.
    public static func _forceBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) {
        result = source.type
    }

    /// The type of an object; every object has one.
    public static func _conditionallyBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) -> Bool {
        result = source.type
        return true
    }

    /// The type of an object; the root of all types where there is no object, which Swift code cannot bring about.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: UTTypeReference?) -> UTType {
        source?.type ?? .item
    }
}

extension UTType: ReferenceConvertible {
    /// The class that holds the same type.
    public typealias ReferenceType = UTTypeReference
}
