import Foundation

extension UTTypeReference {
    /// Creates the type as ``UTType/init(_:)`` does.
    public convenience init?(_ identifier: String) {
        guard let type = UTType(identifier) else { return nil }
        self.init(type: type)
    }

    /// Creates the type as ``UTType/init(filenameExtension:conformingTo:)`` does, conforming to `public.data`.
    public convenience init?(filenameExtension: String) {
        self.init(filenameExtension: filenameExtension, conformingTo: .data)
    }

    /// Creates the type as ``UTType/init(filenameExtension:conformingTo:)`` does.
    public convenience init?(filenameExtension: String, conformingTo supertype: UTType) {
        guard let type = UTType(filenameExtension: filenameExtension, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// Creates the type as ``UTType/init(mimeType:conformingTo:)`` does, conforming to `public.data`.
    public convenience init?(mimeType: String) {
        self.init(mimeType: mimeType, conformingTo: .data)
    }

    /// Creates the type as ``UTType/init(mimeType:conformingTo:)`` does.
    public convenience init?(mimeType: String, conformingTo supertype: UTType) {
        guard let type = UTType(mimeType: mimeType, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// Creates the type as ``UTType/init(tag:tagClass:conformingTo:)`` does.
    public convenience init?(tag: String, tagClass: String, conformingTo supertype: UTType?) {
        let tagClass = UTTagClass(rawValue: tagClass)
        guard let type = UTType(tag: tag, tagClass: tagClass, conformingTo: supertype) else { return nil }
        self.init(type: type)
    }

    /// Creates the type as ``UTType/init(exportedAs:conformingTo:)`` does.
    public convenience init(exportedAs identifier: String) {
        self.init(type: UTType(exportedAs: identifier))
    }

    /// Creates the type as ``UTType/init(exportedAs:conformingTo:)`` does.
    public convenience init(exportedAs identifier: String, conformingTo parentType: UTType) {
        self.init(type: UTType(exportedAs: identifier, conformingTo: parentType))
    }

    /// Creates the type as ``UTType/init(importedAs:conformingTo:)`` does.
    public convenience init(importedAs identifier: String) {
        self.init(type: UTType(importedAs: identifier))
    }

    /// Creates the type as ``UTType/init(importedAs:conformingTo:)`` does.
    public convenience init(importedAs identifier: String, conformingTo parentType: UTType) {
        self.init(type: UTType(importedAs: identifier, conformingTo: parentType))
    }
}
