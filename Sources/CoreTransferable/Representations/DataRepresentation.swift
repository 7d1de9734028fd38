import Foundation
import UniformTypeIdentifiers

/// A representation that exports values as data, imports them from data, or both.
public struct DataRepresentation<Item>: TransferRepresentation where Item: Transferable {
    /// `Never`: the representation is not composed of others.
    public typealias Body = Never

    private let contentType: UTType
    private let exporting: (@Sendable (Item) async throws -> Data)?
    private let importing: (@Sendable (Data) async throws -> Item)?

    /// Creates a representation that exports and imports data of the given type.
    public init(
        contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
        importing: @escaping @Sendable (Data) async throws -> Item
    ) {
        self.contentType = contentType
        self.exporting = exporting
        self.importing = importing
    }

    /// Creates a representation that exports data of the given type.
    public init(exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data) {
        contentType = exportedContentType
        self.exporting = exporting
        importing = nil
    }

    /// Creates a representation that imports data of the given type.
    public init(importedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item) {
        contentType = importedContentType
        exporting = nil
        self.importing = importing
    }
}

extension DataRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        var resolution = Resolution()
        if let exporting {
            resolution.exports = [
                ResolvedExport(contentType: contentType, payload: .data { try await exporting(try $0.as(Item.self)) })
            ]
        }
        if let importing {
            resolution.imports = [
                ResolvedImport(
                    contentType: contentType,
                    payload: .data { TransferredValue(value: try await importing($0)) })
            ]
        }
        return resolution
    }
}

extension TransferredValue {
    /// Returns the value, cast to the given type. The cast should succeed, because the resolution of a type is only
    /// used with values of that type.
    func `as`<Item>(_ type: Item.Type) throws -> Item {
        guard let item = value as? Item else { throw TransferError.unexpectedValue("\(Swift.type(of: value))") }
        return item
    }
}
