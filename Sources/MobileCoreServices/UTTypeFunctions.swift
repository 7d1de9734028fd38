import Foundation
import UniformTypeIdentifiers

// MARK: Identifiers for tags

/// Returns the identifier of the type of a tag.
///
/// - Parameters:
///   - inTagClass: the class of the tag, such as ``kUTTagClassFilenameExtension``.
///   - inTag: the tag.
///   - inConformingToUTI: a type that the result must conform to; nil for any type.
/// - Returns: the identifier of the preferred declared type, otherwise a dynamic one; nil for a tag that is invalid
///   in its class.
public func UTTypeCreatePreferredIdentifierForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFString>? {
    let type = UTType(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return type.map { retained($0.identifier) }
}

/// Returns the identifiers of all types of a tag, the preferred one first.
///
/// - Parameters: as for ``UTTypeCreatePreferredIdentifierForTag(_:_:_:)``.
/// - Returns: the identifiers of declared types, otherwise one dynamic identifier; nil for a tag that is invalid in
///   its class.
public func UTTypeCreateAllIdentifiersForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFArray>? {
    let types = UTType.types(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return types.isEmpty ? nil : retained(types.map { $0.identifier as NSString })
}

// MARK: Tags of identifiers

/// Returns the preferred tag of a type in a class, or nil if it has none.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFString>? {
    type(inUTI).preferredTag(of: UTTagClass(rawValue: inTagClass as String)).map { retained($0) }
}

/// Returns all tags of a type in a class, the preferred one first, or nil if it has none.
public func UTTypeCopyAllTagsWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFArray>? {
    let tags = type(inUTI).allTags[UTTagClass(rawValue: inTagClass as String)]
    return tags.map { tags in retained(tags.map { $0 as NSString }) }
}

// MARK: Comparing identifiers

/// Whether two identifiers are the same, regardless of ASCII case.
public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool {
    type(inUTI1) == type(inUTI2) || isSame(inUTI1 as String, inUTI2 as String)
}

/// Whether a type equals another one or conforms to it.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
    UTTypeEqual(inUTI, inConformsToUTI) || (UTType(inUTI as String)?.conforms(to: type(inConformsToUTI)) ?? false)
}

private func isSame(_ first: String, _ second: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    return first.utf8.elementsEqual(second.utf8) { folded($0) == folded($1) }
}

// MARK: What is known of a type

/// Returns the description of a type for users, or nil if there is none.
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

/// Returns the declaration of a type, with ``kUTTypeIdentifierKey`` and the keys after it; nil if it is not declared.
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

/// Returns the bundle that declares a type, or nil if the system declares it or it is not declared.
public func UTTypeCopyDeclaringBundleURL(_ inUTI: CFString) -> Unmanaged<CFURL>? {
    UTType(inUTI as String)?.declaringBundle.map { Unmanaged.passRetained($0 as NSURL) }
}

// MARK: Helpers

/// Returns the type of an identifier, declared or not.
private func type(_ identifier: CFString) -> UTType {
    UTType(exportedAs: identifier as String)
}

private func retained(_ string: String) -> Unmanaged<CFString> {
    Unmanaged.passRetained(string as NSString)
}

private func retained(_ strings: [NSString]) -> Unmanaged<CFArray> {
    Unmanaged.passRetained(strings as NSArray)
}
