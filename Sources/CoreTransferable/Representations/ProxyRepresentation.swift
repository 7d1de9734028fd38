import Foundation

/// A representation that exports values as values of another type, imports them from values of that type, or both. It
/// has all representations of that type.
public struct ProxyRepresentation<Item, ProxyRepresentation>: TransferRepresentation
where Item: Transferable, ProxyRepresentation: Transferable {
    /// `Never`: the representation is not composed of others.
    public typealias Body = Never

    private enum Exporting: Sendable {
        case now(@Sendable (Item) throws -> ProxyRepresentation)
        case later(@Sendable (Item) async throws -> ProxyRepresentation)
    }

    private let exporting: Exporting?
    private let importing: (@Sendable (ProxyRepresentation) async throws -> Item)?

    /// Creates a representation that imports its items from values of another type.
    public init(importing: @escaping @Sendable (ProxyRepresentation) throws -> Item) {
        exporting = nil
        self.importing = { try importing($0) }
    }

    /// Creates a representation that imports its items from values of another type.
    @_disfavoredOverload
    public init(importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item) {
        exporting = nil
        self.importing = importing
    }

    /// Creates a representation that exports its items as values of another type.
    public init(exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation) {
        self.exporting = .now(exporting)
        importing = nil
    }

    /// Creates a representation that exports its items as values of another type. The exporting conditions of that type
    /// are checked only when a value is loaded: a value that does not meet them is offered, and its load fails.
    @_disfavoredOverload
    public init(exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation) {
        self.exporting = .later(exporting)
        importing = nil
    }

    /// Creates a representation that exports its items as values of another type, and imports them from such values.
    public init(
        exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
        importing: @escaping @Sendable (ProxyRepresentation) throws -> Item
    ) {
        self.exporting = .now(exporting)
        self.importing = { try importing($0) }
    }

    /// Creates a representation that exports its items as values of another type, and imports them from such values.
    @_disfavoredOverload
    public init(
        exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
        importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
    ) {
        self.exporting = .now(exporting)
        self.importing = importing
    }

    /// Creates a representation that exports its items as values of another type, and imports them from such values.
    @_disfavoredOverload
    public init(
        exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation,
        importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
    ) {
        self.exporting = .later(exporting)
        self.importing = importing
    }
}

extension ProxyRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        let proxied = ProxyRepresentation.resolution(&path)
        return Resolution(
            exports: exporting.map { exporting in proxied.exports.map { export($0, exporting) } } ?? [],
            imports: importing.map { importing in proxied.imports.map { `import`($0, importing) } } ?? [],
            fault: proxied.fault)
    }

    private func export(_ proxied: ResolvedExport, _ exporting: Exporting) -> ResolvedExport {
        let proxy: @Sendable (TransferredValue) async throws -> TransferredValue = { value in
            let item = try value.as(Item.self)
            return switch exporting {
            case .now(let make): TransferredValue(value: try make(item))
            case .later(let make): TransferredValue(value: try await make(item))
            }
        }
        let payload: ResolvedExport.Payload =
            switch proxied.payload {
            case .data(let body): .data { try await body(try await proxy($0)) }
            case .file(let inPlace, let body): .file(allowsOpenInPlace: inPlace) { try await body(try await proxy($0)) }
            }
        var export = ResolvedExport(
            contentType: proxied.contentType, visibility: proxied.visibility, payload: payload)
        // The name and the condition are used only if they need no value, or if the proxy can be made synchronously.
        if case .fixed = proxied.fileName { export.fileName = proxied.fileName }
        if case .now(let make) = exporting {
            let proxyNow: @Sendable (TransferredValue) -> TransferredValue? = { value in
                guard let item = value.value as? Item, let proxy = try? make(item) else { return nil }
                return TransferredValue(value: proxy)
            }
            if let condition = proxied.condition { export.condition = { proxyNow($0).map(condition) ?? false } }
            if case .made(let name) = proxied.fileName { export.fileName = .made { proxyNow($0).flatMap(name) } }
        }
        return export
    }

    private func `import`(
        _ proxied: ResolvedImport, _ importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
    ) -> ResolvedImport {
        let finish: @Sendable (TransferredValue) async throws -> TransferredValue = { proxy in
            TransferredValue(value: try await importing(try proxy.as(ProxyRepresentation.self)))
        }
        let payload: ResolvedImport.Payload =
            switch proxied.payload {
            case .data(let body): .data { try await finish(try await body($0)) }
            case .file(let inPlace, let body):
                .file(attemptsOpenInPlace: inPlace) { try await finish(try await body($0)) }
            }
        return ResolvedImport(contentType: proxied.contentType, payload: payload)
    }
}
