import Foundation
import UniformTypeIdentifiers

/// A representation that exports values as files, imports them from files, or both. It is for large contents, or for
/// values that are files anyway.
public struct FileRepresentation<Item>: TransferRepresentation where Item: Transferable {
    /// `Never`: the representation is not composed of others.
    public typealias Body = Never

    private let contentType: UTType
    private let allowsOpenInPlace: Bool
    private let exporting: (@Sendable (Item) async throws -> SentTransferredFile)?
    private let importing: (@Sendable (ReceivedTransferredFile) async throws -> Item)?

    /// Creates a representation that exports and imports files of the given type.
    ///
    /// - Parameter shouldAttemptToOpenInPlace: whether an import requests the sender's own file instead of a copy, and
    ///   whether a receiver may get the exported file itself. The latter also requires that the ``SentTransferredFile``
    ///   allows it.
    public init(
        contentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {
        self.contentType = contentType
        allowsOpenInPlace = shouldAttemptToOpenInPlace
        self.exporting = exporting
        self.importing = importing
    }

    /// Creates a representation that exports files of the given type.
    ///
    /// - Parameter shouldAllowToOpenInPlace: whether a receiver may get the file itself instead of a copy. This also
    ///   requires that the ``SentTransferredFile`` allows it.
    public init(
        exportedContentType: UTType, shouldAllowToOpenInPlace: Bool = false,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
    ) {
        contentType = exportedContentType
        allowsOpenInPlace = shouldAllowToOpenInPlace
        self.exporting = exporting
        importing = nil
    }

    /// Creates a representation that imports files of the given type.
    ///
    /// - Parameter shouldAttemptToOpenInPlace: whether an import requests the sender's own file instead of a copy.
    public init(
        importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {
        contentType = importedContentType
        allowsOpenInPlace = shouldAttemptToOpenInPlace
        exporting = nil
        self.importing = importing
    }
}

extension FileRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        var resolution = Resolution()
        if let exporting {
            resolution.exports = [
                ResolvedExport(
                    contentType: contentType,
                    payload: .file(allowsOpenInPlace: allowsOpenInPlace) {
                        try await exporting(try $0.as(Item.self))
                    })
            ]
        }
        if let importing {
            resolution.imports = [
                ResolvedImport(
                    contentType: contentType,
                    payload: .file(attemptsOpenInPlace: allowsOpenInPlace) {
                        TransferredValue(value: try await importing($0))
                    })
            ]
        }
        return resolution
    }
}

/// A file that an exporting closure returns.
public struct SentTransferredFile: Sendable {
    /// The URL of the file.
    public let file: URL
    /// Whether a receiver may use this very file.
    public let allowAccessingOriginalFile: Bool

    /// Creates the result of an exporting closure. By default, the receiver gets a copy of the file.
    public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
        self.file = file
        self.allowAccessingOriginalFile = allowAccessingOriginalFile
    }
}

/// A file that an importing closure receives.
public struct ReceivedTransferredFile: Sendable {
    /// The URL of the file. A copy is deleted when the importing closure returns: copy or move it before that.
    public let file: URL
    /// Whether this is the sender's own file.
    public let isOriginalFile: Bool
}
