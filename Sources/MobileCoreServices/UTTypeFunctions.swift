import Foundation
import UniformTypeIdentifiers

// MARK: Identifiers for tags

/// The identifier of the type that a tag stands for.
///
/// - Parameters:
///   - inTagClass: what kind of tag it is, such as ``kUTTagClassFilenameExtension``.
///   - inTag: the tag.
///   - inConformingToUTI: what the type must conform to; nil if anything will do.
/// - Returns: the preferred declared type's identifier, else a dynamic one; nil if the tag cannot be one of its class.
public func UTTypeCreatePreferredIdentifierForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFString>? {
    let type = UTType(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return type.map { retained($0.identifier) }
}

/// The identifiers of all types that a tag stands for, the preferred one first.
///
/// - Parameters: as for ``UTTypeCreatePreferredIdentifierForTag(_:_:_:)``.
/// - Returns: the declared types' identifiers, else a single dynamic one; nil if the tag cannot be one of its class.
public func UTTypeCreateAllIdentifiersForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFArray>? {
    let types = UTType.types(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return types.isEmpty ? nil : retained(types.map { $0.identifier as NSString })
}

// MARK: Tags of identifiers

/// The preferred tag of a type in a class; nil if it has none.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFString>? {
    type(inUTI).preferredTag(of: UTTagClass(rawValue: inTagClass as String)).map { retained($0) }
}

/// All tags of a type in a class, the preferred one first; nil if it has none.
public func UTTypeCopyAllTagsWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFArray>? {
    let tags = type(inUTI).allTags[UTTagClass(rawValue: inTagClass as String)]
    return tags.map { tags in retained(tags.map { $0 as NSString }) }
}

// MARK: Comparing identifiers

/// Whether two identifiers are the same, regardless of ASCII case.
public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool {
    type(inUTI1) == type(inUTI2) || isSame(inUTI1 as String, inUTI2 as String)
}

/// Whether a type is another one or conforms to it.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
    UTTypeEqual(inUTI, inConformsToUTI) || (UTType(inUTI as String)?.conforms(to: type(inConformsToUTI)) ?? false)
}

private func isSame(_ first: String, _ second: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    return first.utf8.elementsEqual(second.utf8) { folded($0) == folded($1) }
}

// MARK: What is known of a type

/// The description of a type for people; nil if there is none.
public func UTTypeCopyDescription(_ inUTI: CFString) -> Unmanaged<CFString>? {
    UTType(inUTI as String)?.localizedDescription.map { retained($0) }
}

/// Whether a type is declared.
public func UTTypeIsDeclared(_ inUTI: CFString) -> Bool {
    UTType(inUTI as String)?.isDeclared ?? false
}

/// Whether a type is dynamic.
public func UTTypeIsDynamic(_ inUTI: CFString) -> Bool {
    UTType(inUTI as String)?.isDynamic ?? false
}

/// The declaration of a type, with the keys of ``kUTTypeIdentifierKey`` and those after it; nil if it is not declared.
public func UTTypeCopyDeclaration(_ inUTI: CFString) -> Unmanaged<CFDictionary>? {
    guard let type = UTType(inUTI as String), type.isDeclared else { return nil }
    let declaration = NSMutableDictionary()
    declaration[kUTTypeIdentifierKey] = type.identifier as NSString
    declaration[kUTTypeDescriptionKey] = type.localizedDescription as NSString?
    declaration[kUTTypeReferenceURLKey] = type.referenceURL?.absoluteString as NSString?
    declaration[kUTTypeVersionKey] = type.version.map { NSNumber(value: $0) }
    let parents = type.directSupertypes.map { $0.identifier as NSString }
    if !parents.isEmpty {
        declaration[kUTTypeConformsToKey] = parents as NSArray
    }
    let tags = NSMutableDictionary()
    for (tagClass, list) in type.allTags {
        tags[tagClass.rawValue as NSString] = list.map { $0 as NSString } as NSArray
    }
    if tags.count > 0 {
        declaration[kUTTypeTagSpecificationKey] = tags
    }
    return Unmanaged.passRetained(declaration)
}

/// The bundle that declares a type; nil if it is the system that does, or nobody.
public func UTTypeCopyDeclaringBundleURL(_ inUTI: CFString) -> Unmanaged<CFURL>? {
    UTType(inUTI as String)?.declaringBundle.map { Unmanaged.passRetained($0 as NSURL) }
}

// MARK: Helpers

/// The type of an identifier, declared or not.
private func type(_ identifier: CFString) -> UTType {
    UTType(exportedAs: identifier as String)
}

private func retained(_ string: String) -> Unmanaged<CFString> {
    Unmanaged.passRetained(string as NSString)
}

private func retained(_ strings: [NSString]) -> Unmanaged<CFArray> {
    Unmanaged.passRetained(strings as NSArray)
}
