import Foundation

// MARK: Tag classes

/// Filename extensions.
public var kUTTagClassFilenameExtension: CFString { "public.filename-extension" }
/// MIME types.
public var kUTTagClassMIMEType: CFString { "public.mime-type" }
/// Types of the older pasteboard.
public var kUTTagClassNSPboardType: CFString { "com.apple.nspboard-type" }
/// Types of files on the classic Mac OS.
public var kUTTagClassOSType: CFString { "com.apple.ostype" }

// MARK: Keys of declarations

/// A key of a bundle's property list: the types that the bundle owns.
public var kUTExportedTypeDeclarationsKey: CFString { "UTExportedTypeDeclarations" }
/// A key of a bundle's property list: the types that it uses and others own.
public var kUTImportedTypeDeclarationsKey: CFString { "UTImportedTypeDeclarations" }
/// A key of a declaration: the identifier.
public var kUTTypeIdentifierKey: CFString { "UTTypeIdentifier" }
/// A key of a declaration: the tags by class.
public var kUTTypeTagSpecificationKey: CFString { "UTTypeTagSpecification" }
/// A key of a declaration: the identifiers of the types that it conforms to.
public var kUTTypeConformsToKey: CFString { "UTTypeConformsTo" }
/// A key of a declaration: the description.
public var kUTTypeDescriptionKey: CFString { "UTTypeDescription" }
/// A key of a declaration: the name of an icon file.
public var kUTTypeIconFileKey: CFString { "UTTypeIconFile" }
/// A key of a declaration: the address of the type's description.
public var kUTTypeReferenceURLKey: CFString { "UTTypeReferenceURL" }
/// A key of a declaration: the version of the type.
public var kUTTypeVersionKey: CFString { "UTTypeVersion" }
