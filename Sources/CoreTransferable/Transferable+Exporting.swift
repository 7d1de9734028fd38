import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// Source: CoreTransferable, the default implementations since iOS 18.2 and macOS 15.2.
extension Transferable {
    /// Returns the value as data, from the first representation whose type conforms to the given type, or from the
    /// first of all representations if the type is `nil`. A file is read, and a directory is zipped.
    public func exported(as contentType: UTType?) async throws -> Data {
        try await delivered(as: contentType, .data).asData.get()
    }

    /// Writes the value to a new file in a directory. The caller owns the file.
    ///
    /// - Returns: the URL of the file. If a file with the value's name exists, a number is added to the name.
    /// - Throws: a `CocoaError` that names the directory if it is not a directory; `CocoaError.userCancelled` if the
    ///   task is cancelled. After an error, no file remains in the directory.
    public func export(to destinationDirectory: URL, contentType: UTType?) async throws -> URL {
        guard destinationDirectory.isFileURL else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: destinationDirectory])
        }
        let destination = try await HandlerThreads.shared.value { try ExportDestination(destinationDirectory) }
        return try await delivered(as: contentType, .copy).asFile.get().lend { try await destination.place($0.url) }
    }

    /// Writes the value to a temporary file, and calls a closure with the file's URL. The file is deleted when the
    /// closure returns. Every representation can be written to a file.
    public func withExportedFile<Result>(
        contentType: UTType?, fileHandler: (URL) async throws -> Result
    ) async throws -> Result {
        try await delivered(as: contentType, .copy).asFile.get().lend { try await fileHandler($0.url) }
    }

    /// Returns the types that this value can be exported as, best first.
    ///
    /// - Parameter visibility: the processes that must be able to see the types. Types that are visible to fewer
    ///   processes are left out.
    public func exportedContentTypes(_ visibility: TransferRepresentationVisibility = .all) -> [UTType] {
        let value = TransferredValue(value: self)
        return Self.contentTypes(Self.resolution().exports.filter { $0.isExported(value) }, visibility)
    }

    /// Returns the types from which values can be created, best first.
    public func importedContentTypes() -> [UTType] { Self.importedContentTypes() }

    /// Returns the types that values can be exported as, best first. Conditions are not checked.
    ///
    /// - Parameter visibility: the processes that must be able to see the types. Types that are visible to fewer
    ///   processes are left out.
    public static func exportedContentTypes(visibility: TransferRepresentationVisibility = .all) -> [UTType] {
        contentTypes(resolution().exports, visibility)
    }

    /// Returns the types from which values can be created, best first.
    public static func importedContentTypes() -> [UTType] {
        unique(resolution().imports.map(\.contentType))
    }

    /// The name for a file of this value, from the first representation that has a name; `nil` if none has.
    public var suggestedFilename: String? {
        let value = TransferredValue(value: self)
        return Self.resolution().exports.lazy
            .filter { $0.isExported(value) }.compactMap { $0.fileName?.name(for: value) }.first
    }

    private static func contentTypes(
        _ exports: [ResolvedExport], _ visibility: TransferRepresentationVisibility
    ) -> [UTType] {
        unique(exports.filter { $0.visibility.includes(visibility) }.map(\.contentType))
    }

    private static func unique(_ types: [UTType]) -> [UTType] {
        types.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Exports the value with the first representation that conforms to the given type, or with the first of all if the
    /// type is `nil`. If the export fails because the value does not meet a condition, tries the next representation.
    /// The condition of an asynchronous proxy is checked only during the export.
    private func delivered(as contentType: UTType?, _ delivery: Delivery) async throws -> Arrival {
        let value = TransferredValue(value: self)
        let resolution = Self.resolution()
        for export in resolution.exports where contentType.map({ export.contentType.conforms(to: $0) }) ?? true {
            guard export.isExported(value) else { continue }
            let promise = ItemPromise()
            promise.suggestedName = export.fileName?.name(for: value)
            do {
                return try await LoadOperation.run(export.representation { value }, of: promise, as: delivery)
            } catch  where TransferError.isConditionNotMet(error) {
                continue
            }
        }
        throw TransferError.notExported(type: "\(Self.self)", as: contentType, fault: resolution.fault)
    }
}
