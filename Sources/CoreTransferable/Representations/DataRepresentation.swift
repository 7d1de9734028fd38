import Foundation
import UniformTypeIdentifiers

/// Exports values as data, imports them from data, or both.
public struct DataRepresentation<Item>: TransferRepresentation where Item: Transferable {
    /// It is not made of others.
    public typealias Body = Never

    private let contentType: UTType
    private let exporting: (@Sendable (Item) async throws -> Data)?
    private let importing: (@Sendable (Data) async throws -> Item)?

    /// Data of a type, both ways.
    public init(
        contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
        importing: @escaping @Sendable (Data) async throws -> Item
    ) {
        self.contentType = contentType
        self.exporting = exporting
        self.importing = importing
    }

    /// Data of a type that values are exported as.
    public init(exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data) {
        contentType = exportedContentType
        self.exporting = exporting
        importing = nil
    }

    /// Data of a type that values are imported from.
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
    /// The value as what it is. The resolution of a type meets values of that type only.
    func `as`<Item>(_ type: Item.Type) throws -> Item {
        guard let item = value as? Item else { throw TransferError.unexpectedValue("\(Swift.type(of: value))") }
        return item
    }
}
