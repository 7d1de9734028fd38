import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// The methods that take a `UTType` in place of a type identifier.
///
/// Source: UniformTypeIdentifiers, `NSItemProvider+UTType.h`.
extension NSItemProvider {
    /// Creates an item that offers one file or directory under its own name.
    ///
    /// - Parameters:
    ///   - contentType: the type under which the file is offered. With `nil`, the type is determined from the file's
    ///     name, or from the file itself if the name does not suffice.
    ///   - openInPlace: whether a consumer may get the original file.
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

    /// Registers a handler that produces data of the given type, see
    /// ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
    public func registerDataRepresentation(
        for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
    ) {
        promise.remember(contentType)
        registerDataRepresentation(
            forTypeIdentifier: contentType.identifier, visibility: visibility, loadHandler: loadHandler)
    }

    /// Registers a handler that produces a file or directory of the given type, see
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

    /// Loads the data of the first representation that conforms to the given type, see
    /// ``loadDataRepresentation(forTypeIdentifier:completionHandler:)``.
    public func loadDataRepresentation(
        for contentType: UTType, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        loadDataRepresentation(forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
    }

    /// Loads the file of the first representation that conforms to the given type.
    ///
    /// - Parameters:
    ///   - openInPlace: whether the original file is requested. If the original is not available, a copy arrives.
    ///   - completionHandler: called once, on an arbitrary queue, with the file and whether it is the original. A copy
    ///     is deleted when the handler returns.
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
