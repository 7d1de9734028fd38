/// A type whose values can be handed to other programs, and made from what other programs hand over.
///
/// It lists its representations best first. Source: CoreTransferable, `Transferable`.
public protocol Transferable: SendableMetatype {
    associatedtype Representation: TransferRepresentation

    /// The representations, in order of preference.
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// One or several forms in which values of a type are exported and imported.
///
/// Programs compose ``CodableRepresentation``, ``DataRepresentation``, ``FileRepresentation`` and ``ProxyRepresentation``.
public protocol TransferRepresentation<Item>: Sendable {
    /// What is exported and imported.
    associatedtype Item: Transferable
    /// What this representation is made of; `Never` for those that are not made of others.
    associatedtype Body: TransferRepresentation

    @TransferRepresentationBuilder<Item> var body: Body { get }
}

extension TransferRepresentation where Body == Never {
    /// Not called: a representation that is not made of others says itself what it does.
    public var body: Never { unreachable() }
}

extension Never: Transferable, TransferRepresentation {
    /// There is no value to hand over.
    public typealias Item = Never
    /// There is no form to hand it over in.
    public typealias Representation = Never

    /// Not called: there is no value to hand over.
    public static var transferRepresentation: Never { unreachable() }
    /// Not called: there is no such representation.
    public var body: Never { unreachable() }
}

/// For what the type system asks to be there and no program can reach through the interface.
private func unreachable() -> Never {
    // Reached only by a client that asks a primitive representation for its body, which has none to give.
    preconditionFailure("a primitive representation has no body")
}
