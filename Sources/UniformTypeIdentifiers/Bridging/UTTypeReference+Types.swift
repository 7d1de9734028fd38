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
}
