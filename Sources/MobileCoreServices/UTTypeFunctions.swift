import Foundation
import UniformTypeIdentifiers

// MARK: Identifiers for tags

/// Returns the identifier of the type that has the given tag.
///
/// - Parameters:
///   - inTagClass: the class of the tag, such as ``kUTTagClassFilenameExtension``.
///   - inTag: the tag.
///   - inConformingToUTI: a type to which the result must conform; nil accepts every type.
/// - Returns: the identifier of the preferred declared type, or a dynamic identifier if no declared type has the tag;
///   nil if the tag is invalid in its class.
public func UTTypeCreatePreferredIdentifierForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFString>? {
    let type = UTType(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return type.map { retained($0.identifier) }
}

/// Returns the identifiers of all types that have the given tag, the preferred type's first.
///
/// - Parameters: as for ``UTTypeCreatePreferredIdentifierForTag(_:_:_:)``.
/// - Returns: the identifiers of declared types, or one dynamic identifier if no declared type has the tag; nil if the
///   tag is invalid in its class.
public func UTTypeCreateAllIdentifiersForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFArray>? {
    let types = UTType.types(
        tag: inTag as String, tagClass: UTTagClass(rawValue: inTagClass as String),
        conformingTo: inConformingToUTI.map(type(_:)))
    return types.isEmpty ? nil : retained(types.map { $0.identifier as NSString })
}

// MARK: Tags of identifiers

/// Returns the type's preferred tag of the given class, or nil if the type has no such tag.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFString>? {
    type(inUTI).preferredTag(of: UTTagClass(rawValue: inTagClass as String)).map { retained($0) }
}

/// Returns all of the type's tags of the given class, the preferred tag first, or nil if the type has no such tag.
public func UTTypeCopyAllTagsWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFArray>? {
    let tags = type(inUTI).allTags[UTTagClass(rawValue: inTagClass as String)]
    return tags.map { tags in retained(tags.map { $0 as NSString }) }
}

// MARK: Comparing identifiers

/// Whether two identifiers are the same, regardless of ASCII case.
public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool {
    type(inUTI1) == type(inUTI2) || isSame(inUTI1 as String, inUTI2 as String)
}

/// Whether the first type is the second type or conforms to it.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
    UTTypeEqual(inUTI, inConformsToUTI) || (UTType(inUTI as String)?.conforms(to: type(inConformsToUTI)) ?? false)
}

private func isSame(_ first: String, _ second: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    return first.utf8.elementsEqual(second.utf8) { folded($0) == folded($1) }
}

// MARK: Properties of types

/// Returns the type's description for users, or nil if the type has none.
public func UTTypeCopyDescription(_ inUTI: CFString) -> Unmanaged<CFString>? {
    UTType(inUTI as String)?.localizedDescription.map { retained($0) }
}

/// Whether the system or a bundle declares the type.
public func UTTypeIsDeclared(_ inUTI: CFString) -> Bool {
    UTType(inUTI as String)?.isDeclared ?? false
}

/// Whether the type is dynamic, that is, made for a tag that no declared type has.
public func UTTypeIsDynamic(_ inUTI: CFString) -> Bool {
    UTType(inUTI as String)?.isDynamic ?? false
}

/// Returns the declaration of a type, a dictionary with ``kUTTypeIdentifierKey`` and the other keys of declarations;
/// nil if the type is not declared.
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

/// Returns the bundle that declares a type; nil if the system declares the type, or if the type is not declared.
public func UTTypeCopyDeclaringBundleURL(_ inUTI: CFString) -> Unmanaged<CFURL>? {
    UTType(inUTI as String)?.declaringBundle.map { Unmanaged.passRetained($0 as NSURL) }
}

// MARK: Helpers

/// Returns the type with the given identifier, whether it is declared or not.
private func type(_ identifier: CFString) -> UTType {
    UTType(exportedAs: identifier as String)
}

private func retained(_ string: String) -> Unmanaged<CFString> {
    Unmanaged.passRetained(string as NSString)
}

private func retained(_ strings: [NSString]) -> Unmanaged<CFArray> {
    Unmanaged.passRetained(strings as NSArray)
}

/// Decodes four bytes as Mac OS Roman. The resulting text is a tag of the class ``kUTTagClassOSType``.
public func UTCreateStringForOSType(_ inOSType: OSType) -> Unmanaged<CFString> {
    let bytes = withUnsafeBytes(of: inOSType.bigEndian) { Array($0) }
    let text = String(String.UnicodeScalarView(bytes.map(MacOSRoman.scalar(of:))))
    return Unmanaged.passRetained(text as NSString)
}

/// Encodes a text of four characters as Mac OS Roman. Returns zero if the text has another length, or a character that
/// Mac OS Roman does not have.
public func UTGetOSTypeFromString(_ inString: CFString) -> OSType {
    let bytes = (inString as String).unicodeScalars.map(MacOSRoman.byte(of:))
    guard bytes.count == 4 else { return 0 }
    return bytes.reduce(0) { sum, byte in sum.flatMap { sum in byte.map { sum << 8 | OSType($0) } } } ?? 0
}

/// The character set of the classic Mac OS. (Foundation's version of it on Linux has other characters from 0x80 on.)
private enum MacOSRoman {
    /// The characters from 0x80 on; the lower half is ASCII.
    private static let upperHalf = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü"
            + "†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
            + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙı\u{2C6}\u{2DC}¯\u{2D8}\u{2D9}\u{2DA}¸\u{2DD}\u{2DB}\u{2C7}").unicodeScalars)

    static func scalar(of byte: UInt8) -> Unicode.Scalar {
        byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]
    }

    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII {
            return UInt8(scalar.value)
        }
        return upperHalf.firstIndex(of: scalar).map { UInt8($0 + 0x80) }
    }
}

// MARK: Tag classes

/// Filename extensions.
public var kUTTagClassFilenameExtension: CFString { "public.filename-extension" }
/// MIME types.
public var kUTTagClassMIMEType: CFString { "public.mime-type" }
/// Names of types that AppKit's pasteboard formerly used.
public var kUTTagClassNSPboardType: CFString { "com.apple.nspboard-type" }
/// Types of files on the classic Mac OS.
public var kUTTagClassOSType: CFString { "com.apple.ostype" }

// MARK: Keys of declarations

/// A key of a bundle's property list: the types that the bundle owns.
public var kUTExportedTypeDeclarationsKey: CFString { "UTExportedTypeDeclarations" }
/// A key of a bundle's property list: the types that the bundle uses and that other programs own.
public var kUTImportedTypeDeclarationsKey: CFString { "UTImportedTypeDeclarations" }
/// A key of a declaration: the identifier.
public var kUTTypeIdentifierKey: CFString { "UTTypeIdentifier" }
/// A key of a declaration: the tags, in a dictionary by tag class.
public var kUTTypeTagSpecificationKey: CFString { "UTTypeTagSpecification" }
/// A key of a declaration: the identifiers of the types that the declared type conforms to.
public var kUTTypeConformsToKey: CFString { "UTTypeConformsTo" }
/// A key of a declaration: the description.
public var kUTTypeDescriptionKey: CFString { "UTTypeDescription" }
/// A key of a declaration: the name of an icon file.
public var kUTTypeIconFileKey: CFString { "UTTypeIconFile" }
/// A key of a declaration: the URL of a page that describes the type.
public var kUTTypeReferenceURLKey: CFString { "UTTypeReferenceURL" }
/// A key of a declaration: the version of the type.
public var kUTTypeVersionKey: CFString { "UTTypeVersion" }
