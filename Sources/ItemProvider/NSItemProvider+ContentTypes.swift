import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// The interface with `UTType` in place of identifiers.
///
/// Source: UniformTypeIdentifiers, `NSItemProvider+UTType.h`.
extension NSItemProvider {
    /// Creates an item that offers one file or directory under its own name.
    ///
    /// - Parameters:
    ///   - contentType: the type to offer the file as. `nil` determines it from the name. If the name does not suffice,
    ///     it is determined from the file.
    ///   - openInPlace: whether a consumer may get the original.
    ///   - coordinated: whether the file is to be read through file coordination.
    public convenience init(
        contentsOf fileURL: URL, contentType: UTType?, openInPlace: Bool = false, coordinated: Bool = false,
        visibility: NSItemProviderRepresentationVisibility = .all
    ) {
        self.init()
        suggestedName = fileURL.path.lastPathName
        let contentType = contentType ?? FileType.type(of: fileURL)
        registerFileRepresentation(for: contentType, visibility: visibility, openInPlace: openInPlace) { completion in
            completion(fileURL, coordinated, nil)
            return nil
        }
    }

    /// Registers data of a type, see ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
    public func registerDataRepresentation(
        for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
    ) {
        promise.remember(contentType)
        registerDataRepresentation(
            forTypeIdentifier: contentType.identifier, visibility: visibility, loadHandler: loadHandler)
    }

    /// Registers a file or directory of a type, see
    /// ``registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:loadHandler:)``.
    public func registerFileRepresentation(
        for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all, openInPlace: Bool = false,
        loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
    ) {
        promise.remember(contentType)
        registerFileRepresentation(
            forTypeIdentifier: contentType.identifier, fileOptions: openInPlace ? .openInPlace : [],
            visibility: visibility, loadHandler: loadHandler)
    }

    /// Loads the first representation that conforms to a type, as data, see
    /// ``loadDataRepresentation(forTypeIdentifier:completionHandler:)``.
    public func loadDataRepresentation(
        for contentType: UTType, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        loadDataRepresentation(forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
    }

    /// Loads the first representation that conforms to a type, as a file.
    ///
    /// - Parameters:
    ///   - openInPlace: whether the original is requested. If it is not available, a copy arrives.
    ///   - completionHandler: called once, on an arbitrary queue, with the file and whether it is the original. A
    ///     copy is deleted when it returns.
    public func loadFileRepresentation(
        for contentType: UTType, openInPlace: Bool = false,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        if openInPlace {
            return loadInPlaceFileRepresentation(
                forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
        }
        return loadFileRepresentation(forTypeIdentifier: contentType.identifier) { url, error in
            completionHandler(url, false, error)
        }
    }
}
