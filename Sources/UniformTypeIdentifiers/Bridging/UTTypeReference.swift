import Foundation

/// The class to which ``UTType`` bridges. An object represents the same type, and is immutable.
///
/// The conformance to `Sendable` is unchecked only because `NSObject` is not `Sendable`. The single stored property is
/// a constant of a `Sendable` type.
public class UTTypeReference: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let type: UTType

    init(type: UTType) {
        self.type = type
        super.init()
    }

    // MARK: The type

    /// The identifier, such as `public.jpeg`.
    open var identifier: String { type.identifier }

    /// The value of ``UTType/preferredFilenameExtension``.
    open var preferredFilenameExtension: String? { type.preferredFilenameExtension }

    /// The value of ``UTType/preferredMIMEType``.
    open var preferredMIMEType: String? { type.preferredMIMEType }

    /// The value of ``UTType/localizedDescription``.
    open var localizedDescription: String? { type.localizedDescription }

    /// The value of ``UTType/version``.
    open var version: NSNumber? { type.version.map { NSNumber(value: $0) } }

    /// The value of ``UTType/referenceURL``.
    open var referenceURL: URL? { type.referenceURL }

    /// Whether the type was made from a tag, see ``UTType/isDynamic``.
    open var isDynamic: Bool { type.isDynamic }

    /// Whether the type is declared, see ``UTType/isDeclared``.
    open var isDeclared: Bool { type.isDeclared }

    /// Whether the identifier is public, see ``UTType/isPublic``.
    open var isPublic: Bool { type.isPublic }

    /// The tags by the raw value of their class.
    open var tags: [String: [String]] {
        Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) })
    }

    /// Whether the type conforms to another, see ``UTType/conforms(to:)``.
    open func conforms(to type: UTType) -> Bool { self.type.conforms(to: type) }

    /// Whether the type is a supertype of another, see ``UTType/isSupertype(of:)``.
    open func isSupertype(of type: UTType) -> Bool { self.type.isSupertype(of: type) }

    /// Whether the type is a subtype of another, see ``UTType/isSubtype(of:)``.
    open func isSubtype(of type: UTType) -> Bool { self.type.isSubtype(of: type) }

    /// The value of ``UTType/supertypes``.
    open var supertypes: Set<UTType> { type.supertypes }

    /// Returns the result of ``UTType/types(tag:tagClass:conformingTo:)``.
    open class func types(tag: String, tagClass: String, conformingTo supertype: UTType?) -> [UTType] {
        UTType.types(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype)
    }

    // MARK: Copying and coding

    /// Returns the object itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the class supports secure coding: `true`.
    public class var supportsSecureCoding: Bool { true }

    private static let key = "identifier"

    /// Writes the identifier.
    public func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: Self.key)
    }

    /// Reads an identifier; nil if there is none, or if it is invalid. An identifier that is not declared on this
    /// machine is preserved.
    public required convenience init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: Self.key) as String? else { return nil }
        if let type = UTType(identifier) {
            self.init(type: type)
        } else if TypeDeclaration.isValid(identifier: identifier) {
            self.init(type: UTType(exportedAs: identifier))
        } else {
            return nil
        }
    }

    // MARK: Comparing and describing

    /// Whether `object` is a type with the same identifier.
    public override func isEqual(_ object: Any?) -> Bool {
        switch object {
        case let other as UTTypeReference: other.type == type
        case let other as UTType: other == type
        default: false
        }
    }

    /// A hash of the identifier.
    public override var hash: Int { type.hashValue }

    /// The identifier.
    public override var description: String { type.description }

    /// The value of ``UTType/debugDescription``.
    public override var debugDescription: String { type.debugDescription }
}

// `type as UTTypeReference` compiles on Linux only if the bridging is declared apart from `ReferenceConvertible`,
// because the compiler does not find that protocol's default for `_ObjectiveCType`.
extension UTType: _ObjectiveCBridgeable {
    /// The class to which `as` converts.
    public typealias _ObjectiveCType = UTTypeReference

    /// Returns the type as an object.
    public func _bridgeToObjectiveC() -> UTTypeReference {
        UTTypeReference(type: self)
    }

    /// Sets `result` to the type of `source`. Every object has a type.
    public static func _forceBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) {
        result = source.type
    }

    /// Sets `result` to the type of `source`, and returns `true`, because every object has a type.
    public static func _conditionallyBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) -> Bool {
        result = source.type
        return true
    }

    /// Returns the type of an object. Returns `public.item` for nil, which Swift code never passes.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: UTTypeReference?) -> UTType {
        source?.type ?? .item
    }
}

extension UTType: ReferenceConvertible {
    /// The class that wraps a `UTType` as an object.
    public typealias ReferenceType = UTTypeReference
}
