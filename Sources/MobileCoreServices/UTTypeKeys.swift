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

/// In a bundle's property list: the types it owns.
public var kUTExportedTypeDeclarationsKey: CFString { "UTExportedTypeDeclarations" }
/// In a bundle's property list: the types of others that it uses.
public var kUTImportedTypeDeclarationsKey: CFString { "UTImportedTypeDeclarations" }
/// In a declaration: the identifier.
public var kUTTypeIdentifierKey: CFString { "UTTypeIdentifier" }
/// In a declaration: tags by class.
public var kUTTypeTagSpecificationKey: CFString { "UTTypeTagSpecification" }
/// In a declaration: identifiers of the types it conforms to.
public var kUTTypeConformsToKey: CFString { "UTTypeConformsTo" }
/// In a declaration: the description.
public var kUTTypeDescriptionKey: CFString { "UTTypeDescription" }
/// In a declaration: the name of a file with an icon.
public var kUTTypeIconFileKey: CFString { "UTTypeIconFile" }
/// In a declaration: where the type is described.
public var kUTTypeReferenceURLKey: CFString { "UTTypeReferenceURL" }
/// In a declaration: the version of the type.
public var kUTTypeVersionKey: CFString { "UTTypeVersion" }
