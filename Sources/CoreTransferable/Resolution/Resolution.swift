import Foundation
import UniformTypeIdentifiers

/// What a type's representations come to: a flat list of exports and one of imports, in order of preference.
struct Resolution: Sendable {
    var exports: [ResolvedExport] = []
    var imports: [ResolvedImport] = []
    /// Types that proxy to themselves, on whatever way: their proxies lead nowhere and are left out.
    var cycles: [String] = []

    mutating func append(_ other: Resolution) {
        exports += other.exports
        imports += other.imports
        cycles += other.cycles
    }
}

/// A value on its way through closures that know its type.
///
/// Sendable as the closures of the representations are: Apple's declaration hands values to them on arbitrary threads without
/// asking for `Sendable` items. One export uses it at a time.
struct TransferredValue: @unchecked Sendable {
    let value: Any
}

/// One content type that values can be exported as.
struct ResolvedExport: Sendable {
    enum Payload: Sendable {
        case data(@Sendable (TransferredValue) async throws -> Data)
        case file(allowsOpenInPlace: Bool, @Sendable (TransferredValue) async throws -> SentTransferredFile)
    }

    let contentType: UTType
    var visibility = TransferRepresentationVisibility.all
    /// `nil` where it holds for every value.
    var condition: (@Sendable (TransferredValue) -> Bool)?
    var fileName: (@Sendable (TransferredValue) -> String?)?
    let payload: Payload

    func isExported(_ value: TransferredValue) -> Bool { condition?(value) ?? true }
}

/// One content type that values can be imported from.
struct ResolvedImport: Sendable {
    enum Payload: Sendable {
        case data(@Sendable (Data) async throws -> TransferredValue)
        case file(attemptsOpenInPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> TransferredValue)
    }

    let contentType: UTType
    let payload: Payload
}

/// The types whose representations are being looked at, outermost first: a proxy back to one of them would never end.
struct ResolutionPath: Sendable {
    private var types: [ObjectIdentifier] = []

    func contains(_ type: Any.Type) -> Bool { types.contains(ObjectIdentifier(type)) }

    func adding(_ type: Any.Type) -> ResolutionPath {
        var path = self
        path.types.append(ObjectIdentifier(type))
        return path
    }
}

/// A representation that is not made of others.
protocol PrimitiveRepresentation: TransferRepresentation where Body == Never {
    func resolve(_ path: ResolutionPath) -> Resolution
}

extension TransferRepresentation {
    func resolved(_ path: ResolutionPath) -> Resolution {
        if let primitive = self as? any PrimitiveRepresentation { return primitive.resolve(path) }
        // What has neither a body nor a resolution of its own is Never, and there is no value of that.
        if Body.self == Never.self { return Resolution() }
        return body.resolved(path)
    }
}

extension Transferable {
    /// The representations of this type, those of its proxies included.
    static func resolution(_ path: ResolutionPath = ResolutionPath()) -> Resolution {
        if path.contains(Self.self) { return Resolution(cycles: ["\(Self.self)"]) }
        return transferRepresentation.resolved(path.adding(Self.self))
    }
}
