import Foundation
import UniformTypeIdentifiers

/// Exports values as files, imports them from files, or both. For what is large, or is a file anyway.
public struct FileRepresentation<Item>: TransferRepresentation where Item: Transferable {
    /// It is not made of others.
    public typealias Body = Never

    private let contentType: UTType
    private let allowsOpenInPlace: Bool
    private let exporting: (@Sendable (Item) async throws -> SentTransferredFile)?
    private let importing: (@Sendable (ReceivedTransferredFile) async throws -> Item)?

    /// Files of a type, both ways.
    ///
    /// - Parameter shouldAttemptToOpenInPlace: whether the importer asks for the sender's own file.
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

    /// Files of a type that values are exported as.
    ///
    /// - Parameter shouldAllowToOpenInPlace: whether a receiver may be given the file itself, when what is sent allows it too.
    public init(
        exportedContentType: UTType, shouldAllowToOpenInPlace: Bool = false,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
    ) {
        contentType = exportedContentType
        allowsOpenInPlace = shouldAllowToOpenInPlace
        self.exporting = exporting
        importing = nil
    }

    /// Files of a type that values are imported from.
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
