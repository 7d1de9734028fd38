import Foundation

extension UTTypeReference {
    /// As ``UTType/init(_:)``.
    public convenience init?(_ identifier: String) {
        guard let type = UTType(identifier) else { return nil }
        self.init(type: type)
    }

    /// As ``UTType/init(filenameExtension:conformingTo:)``, conforming to `public.data`.
    public convenience init?(filenameExtension: String) {
        self.init(filenameExtension: filenameExtension, conformingTo: .data)
    }

    /// As ``UTType/init(filenameExtension:conformingTo:)``.
    public convenience init?(filenameExtension: String, conformingTo supertype: UTType) {
        guard let type = UTType(filenameExtension: filenameExtension, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// As ``UTType/init(mimeType:conformingTo:)``, conforming to `public.data`.
    public convenience init?(mimeType: String) {
        self.init(mimeType: mimeType, conformingTo: .data)
    }

    /// As ``UTType/init(mimeType:conformingTo:)``.
    public convenience init?(mimeType: String, conformingTo supertype: UTType) {
        guard let type = UTType(mimeType: mimeType, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// As ``UTType/init(tag:tagClass:conformingTo:)``.
    public convenience init?(tag: String, tagClass: String, conformingTo supertype: UTType?) {
        let tagClass = UTTagClass(rawValue: tagClass)
        guard let type = UTType(tag: tag, tagClass: tagClass, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// As ``UTType/init(exportedAs:conformingTo:)``.
    public convenience init(exportedAs identifier: String) {
        self.init(type: UTType(exportedAs: identifier))
    }

    /// As ``UTType/init(exportedAs:conformingTo:)``.
    public convenience init(exportedAs identifier: String, conformingTo parentType: UTType) {
        self.init(type: UTType(exportedAs: identifier, conformingTo: parentType))
    }

    /// As ``UTType/init(importedAs:conformingTo:)``.
    public convenience init(importedAs identifier: String) {
        self.init(type: UTType(importedAs: identifier))
    }

    /// As ``UTType/init(importedAs:conformingTo:)``.
    public convenience init(importedAs identifier: String, conformingTo parentType: UTType) {
        self.init(type: UTType(importedAs: identifier, conformingTo: parentType))
    }

    /// As ``UTType/types(tag:tagClass:conformingTo:)``.
    public class func types(tag: String, tagClass: String, conformingTo supertype: UTType?) -> [UTType] {
        UTType.types(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype)
    }
}

extension UTTypeReference {
    /// The identifier, such as `public.jpeg`.
    public var identifier: String { type.identifier }

    /// As ``UTType/preferredFilenameExtension``.
    public var preferredFilenameExtension: String? { type.preferredFilenameExtension }

    /// As ``UTType/preferredMIMEType``.
    public var preferredMIMEType: String? { type.preferredMIMEType }

    /// As ``UTType/localizedDescription``.
    public var localizedDescription: String? { type.localizedDescription }

    /// As ``UTType/version``.
    public var version: NSNumber? { type.version.map { NSNumber(value: $0) } }

    /// As ``UTType/referenceURL``.
    public var referenceURL: URL? { type.referenceURL }

    /// As ``UTType/isDynamic``.
    public var isDynamic: Bool { type.isDynamic }

    /// As ``UTType/isDeclared``.
    public var isDeclared: Bool { type.isDeclared }

    /// As ``UTType/isPublic``.
    public var isPublic: Bool { type.isPublic }

    /// The tags by the raw value of their class.
    public var tags: [String: [String]] {
        Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) })
    }

    /// As ``UTType/conforms(to:)``.
    public func conforms(to type: UTType) -> Bool { self.type.conforms(to: type) }

    /// As ``UTType/isSupertype(of:)``.
    public func isSupertype(of type: UTType) -> Bool { self.type.isSupertype(of: type) }

    /// As ``UTType/isSubtype(of:)``.
    public func isSubtype(of type: UTType) -> Bool { self.type.isSubtype(of: type) }

    /// As ``UTType/supertypes``.
    public var supertypes: Set<UTType> { type.supertypes }
}
