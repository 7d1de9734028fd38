/// A type with values that can be exported to other programs, and imported from them.
///
/// It lists its representations, best first:
///
/// ```swift
/// extension Note: Transferable {
///     static var transferRepresentation: some TransferRepresentation {
///         CodableRepresentation(contentType: .json)
///         ProxyRepresentation(exporting: \.text)
///     }
/// }
/// ```
///
/// Source: CoreTransferable, `Transferable`.
public protocol Transferable: SendableMetatype {
    associatedtype Representation: TransferRepresentation

    /// The representations, in order of preference.
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// One or several forms in which values of a type are exported and imported.
///
/// Programs compose ``CodableRepresentation``, ``DataRepresentation``, ``FileRepresentation`` and
/// ``ProxyRepresentation``.
public protocol TransferRepresentation<Item>: Sendable {
    /// The type that is exported and imported.
    associatedtype Item: Transferable
    /// The representation of which this one is composed; `Never` for a primitive representation.
    associatedtype Body: TransferRepresentation

    @TransferRepresentationBuilder<Item> var body: Body { get }
}

extension TransferRepresentation where Body == Never {
    /// Unreachable: a primitive representation has no body.
    public var body: Never { unreachable() }
}

extension Never: Transferable, TransferRepresentation {
    /// `Never`, which has no values.
    public typealias Item = Never
    /// `Never`, which has no values to represent.
    public typealias Representation = Never

    /// Cannot be reached, because there is no value to represent.
    public static var transferRepresentation: Never { unreachable() }
    /// Cannot be reached, because there is no such representation.
    public var body: Never { unreachable() }
}

/// Stops the program. Implements members that the type system requires, but that have no meaning.
private func unreachable() -> Never {
    // Reached only by a client that asks a primitive representation for its body.
    preconditionFailure("a primitive representation has no body")
}
