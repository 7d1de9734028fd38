import Foundation
import UniformTypeIdentifiers

/// A type's representations, as a list of exports and a list of imports, each in order of preference.
struct Resolution: Sendable {
    var exports: [ResolvedExport] = []
    var imports: [ResolvedImport] = []
    /// The reason why the resolution of some representations would never end. These representations are left out. `nil`
    /// if none was left out.
    var fault: ResolutionFault?

    mutating func append(_ other: Resolution) {
        exports += other.exports
        imports += other.imports
        fault = fault ?? other.fault
    }
}

/// A value without its static type. The closures of representations cast it back to the type.
///
/// The type is Sendable although its value may not be. Apple's declarations pass values to the closures of
/// representations on arbitrary threads, and do not require that items are `Sendable`. Only one export uses the value
/// at a time.
struct TransferredValue: @unchecked Sendable {
    let value: Any
}

/// A content type that values can be exported as.
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

        /// Returns the file name for a value; `nil` if there is none. Without a value, returns only a name that does
        /// not depend on the value.
        func name(for value: TransferredValue?) -> String? {
            switch self {
            case .fixed(let name): name
            case .made(let make): value.flatMap(make)
            }
        }
    }

    let contentType: UTType
    var visibility = TransferRepresentationVisibility.all
    /// A function that checks whether a value is exported. `nil` if all values are exported, or if only the export
    /// itself can decide this. The payload checks the condition again.
    var condition: (@Sendable (TransferredValue) -> Bool)?
    var fileName: FileName?
    var payload: Payload

    func isExported(_ value: TransferredValue) -> Bool { condition?(value) ?? true }
}

/// A content type that values can be imported from.
struct ResolvedImport: Sendable {
    enum Payload: Sendable {
        case data(@Sendable (Data) async throws -> TransferredValue)
        case file(attemptsOpenInPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> TransferredValue)
    }

    let contentType: UTType
    let payload: Payload
}

/// A representation that creates its resolution itself, and not from its body.
protocol ResolvableRepresentation: TransferRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution
}

extension TransferRepresentation {
    func resolved(_ path: inout ResolutionPath) -> Resolution {
        if let resolvable = self as? any ResolvableRepresentation { return resolvable.resolve(&path) }
        // Only `Never` has neither a body nor a resolution of its own, and `Never` has no values.
        if Body.self == Never.self { return Resolution() }
        return path.following(Self.self, otherwise: ResolutionFault.madeOfItself) { body.resolved(&$0) }
    }
}

extension Transferable {
    /// Returns the representations of this type, including those of its proxies.
    static func resolution() -> Resolution {
        var path = ResolutionPath()
        return resolution(&path)
    }

    static func resolution(_ path: inout ResolutionPath) -> Resolution {
        // `Never` has no values, so it has no representations.
        if Representation.self == Never.self { return Resolution() }
        return path.following(Self.self, otherwise: ResolutionFault.proxyOfItself) {
            transferRepresentation.resolved(&$0)
        }
    }
}
