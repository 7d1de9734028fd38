import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// Source: CoreTransferable, the default implementations since iOS 18.2 and macOS 15.2.
extension Transferable {
    /// The value as data: the first representation that conforms to a type, or the first of all. A file is read, a folder is
    /// zipped.
    public func exported(as contentType: UTType?) async throws -> Data {
        let (representation, promise) = try promised(as: contentType)
        return try await LoadOperation.run(representation, of: promise, as: .data).asData.get()
    }

    /// Writes the value to a new file in a directory, which is the caller's from then on.
    ///
    /// - Returns: where the file is. A name that is taken gets a number.
    public func export(to destinationDirectory: URL, contentType: UTType?) async throws -> URL {
        let (representation, promise) = try promised(as: contentType)
        let file = try await LoadOperation.run(representation, of: promise, as: .copy).asFile.get()
        defer { file.folder?.remove() }
        return try await withCheckedThrowingContinuation { continuation in
            HandlerThreads.shared.run {
                continuation.resume(with: Result { try ExportedFile.place(file.url, in: destinationDirectory) })
            }
        }
    }

    /// Lends the value as a file of its own, whatever it is represented by. The file is deleted when the closure ends.
    public func withExportedFile<Result>(
        contentType: UTType?, fileHandler: (URL) async throws -> Result
    ) async throws -> Result {
        let (representation, promise) = try promised(as: contentType)
        let file = try await LoadOperation.run(representation, of: promise, as: .copy).asFile.get()
        defer { file.folder?.remove() }
        return try await fileHandler(file.url)
    }

    /// What this value can be exported as, for those who may see so much, best first.
    public func exportedContentTypes(_ visibility: TransferRepresentationVisibility = .all) -> [UTType] {
        let value = TransferredValue(value: self)
        return Self.contentTypes(Self.resolution().exports.filter { $0.isExported(value) }, visibility)
    }

    /// What values of the type can be made from, best first.
    public func importedContentTypes() -> [UTType] { Self.importedContentTypes() }

    /// What values of the type can be exported as, for those who may see so much, best first. Conditions are not asked.
    public static func exportedContentTypes(visibility: TransferRepresentationVisibility = .all) -> [UTType] {
        contentTypes(resolution().exports, visibility)
    }

    /// What values of the type can be made from, best first.
    public static func importedContentTypes() -> [UTType] {
        unique(resolution().imports.map(\.contentType))
    }

    /// The name for a file of this value: that of the first representation that names one.
    public var suggestedFilename: String? {
        let value = TransferredValue(value: self)
        return Self.resolution().exports.lazy
            .filter { $0.isExported(value) }.compactMap { $0.fileName?(value) }.first
    }

    private static func contentTypes(
        _ exports: [ResolvedExport], _ visibility: TransferRepresentationVisibility
    ) -> [UTType] {
        unique(exports.filter { $0.visibility.includes(visibility) }.map(\.contentType))
    }

    private static func unique(_ types: [UTType]) -> [UTType] {
        types.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The representation that fits a type, as a promise of its own.
    private func promised(as contentType: UTType?) throws -> (ItemProvider.Representation, ItemPromise) {
        let value = TransferredValue(value: self)
        let resolution = Self.resolution()
        let export = resolution.exports.first { export in
            export.isExported(value) && (contentType.map { export.contentType.conforms(to: $0) } ?? true)
        }
        guard let export else {
            throw TransferError.notExported(type: "\(Self.self)", as: contentType, cycles: resolution.cycles)
        }
        let promise = ItemPromise()
        promise.suggestedName = export.fileName?(value)
        return (export.representation { value }, promise)
    }
}

/// A file that is put where the caller wants it.
enum ExportedFile {
    /// Blocks until it is there, whole.
    static func place(_ file: URL, in directory: URL) throws -> URL {
        let folder = try FileDescriptor.open(directory.path, [.readOnly, .directory])
        let source = try FileDescriptor.open(file.path, [.readOnly])
        let isDirectory = try source.status().kind == .directory
        let name = file.lastPathComponent as NSString
        let ending = name.pathExtension.isEmpty ? "" : "." + name.pathExtension
        var candidate = name as String
        var number = 2
        while try !copy(source, isDirectory: isDirectory, into: folder, named: candidate) {
            candidate = "\(name.deletingPathExtension) \(number)\(ending)"
            number += 1
        }
        return directory.appendingPathComponent(candidate, isDirectory: isDirectory)
    }

    /// - Returns: `false` when the name is taken.
    private static func copy(
        _ source: FileDescriptor, isDirectory: Bool, into folder: FileDescriptor, named name: String
    ) throws(CopyError) -> Bool {
        do throws(CopyError) {
            if isDirectory {
                try TreeCopier.copy(source, into: folder, named: name, progress: { _, _ in }, isCancelled: { false })
            } else {
                try FileCopier.copy(source, into: folder, named: name, progress: { _, _ in }, isCancelled: { false })
            }
            return true
        } catch {
            guard case .alreadyExists = error else { throw error }
            return false
        }
    }
}
