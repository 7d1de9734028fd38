import Foundation
import UniformTypeIdentifiers

/// What a type's representations come to: a flat list of exports and one of imports, in order of preference.
struct Resolution: Sendable {
    var exports: [ResolvedExport] = []
    var imports: [ResolvedImport] = []
    /// Why some representations lead nowhere, and are left out.
    var fault: ResolutionFault?

    mutating func append(_ other: Resolution) {
        exports += other.exports
        imports += other.imports
        fault = fault ?? other.fault
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

    enum FileName: Sendable {
        case fixed(String)
        case made(@Sendable (TransferredValue) -> String?)

        var needsValue: Bool {
            if case .made = self { return true }
            return false
        }

        /// - Parameter value: without one, only a fixed name is known.
        func name(for value: TransferredValue?) -> String? {
            switch self {
            case .fixed(let name): name
            case .made(let make): value.flatMap(make)
            }
        }
    }

    let contentType: UTType
    var visibility = TransferRepresentationVisibility.all
    /// Whether a value is exported; `nil` where all are, or where only the export itself can tell. The payload asks once more.
    var condition: (@Sendable (TransferredValue) -> Bool)?
    var fileName: FileName?
    var payload: Payload

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

/// A representation that says itself what it comes to.
protocol ResolvableRepresentation: TransferRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution
}

extension TransferRepresentation {
    func resolved(_ path: inout ResolutionPath) -> Resolution {
        if let resolvable = self as? any ResolvableRepresentation { return resolvable.resolve(&path) }
        // What has neither a body nor a resolution of its own is Never, and there is no value of that.
        if Body.self == Never.self { return Resolution() }
        return path.following(Self.self, otherwise: ResolutionFault.madeOfItself) { body.resolved(&$0) }
    }
}

extension Transferable {
    /// The representations of this type, those of its proxies included.
    static func resolution() -> Resolution {
        var path = ResolutionPath()
        return resolution(&path)
    }

    static func resolution(_ path: inout ResolutionPath) -> Resolution {
        // Never has no value, hence no form to ask for.
        if Representation.self == Never.self { return Resolution() }
        return path.following(Self.self, otherwise: ResolutionFault.proxyOfItself) {
            transferRepresentation.resolved(&$0)
        }
    }
}
