import Foundation

/// The builder that combines a list of representations into one.
@resultBuilder public struct TransferRepresentationBuilder<Item> where Item: Transferable {
    /// Builds a codable representation. The program need not write the representation's item type.
    public static func buildExpression<Encoder, Decoder>(
        _ content: CodableRepresentation<Item, Encoder, Decoder>
    ) -> CodableRepresentation<Item, Encoder, Decoder>
    where
        Item: Decodable, Item: Encodable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder, Encoder.Output == Data,
        Decoder.Input == Data
    {
        content
    }

    /// Builds a representation of the item.
    public static func buildExpression<R>(_ content: R) -> R where Item == R.Item, R: TransferRepresentation {
        content
    }

    /// Builds a single representation.
    public static func buildBlock<Content>(_ content: Content) -> Content
    where Item == Content.Item, Content: TransferRepresentation {
        content
    }

    /// Builds a pair of representations.
    public static func buildBlock<C1, C2>(
        _ content1: C1, _ content2: C2
    ) -> TupleTransferRepresentation<Item, (C1, C2)>
    where Item == C1.Item, C1: TransferRepresentation, C2: TransferRepresentation, C1.Item == C2.Item {
        TupleTransferRepresentation([content1, content2])
    }

    /// Builds the first of more than two representations.
    public static func buildPartialBlock<Content>(first content: Content) -> Content
    where Item == Content.Item, Content: TransferRepresentation {
        content
    }

    /// Adds a representation to the previous ones.
    public static func buildPartialBlock<Before, Next>(
        accumulated: Before, next: Next
    ) -> TupleTransferRepresentation<Item, (Before, Next)>
    where Item == Before.Item, Before: TransferRepresentation, Next: TransferRepresentation, Before.Item == Next.Item {
        TupleTransferRepresentation([accumulated, next])
    }
}

/// Several representations of one item, in order of preference.
public struct TupleTransferRepresentation<Item, Value>: TransferRepresentation
where Item: Transferable, Value: Sendable {
    private let parts: [any TransferRepresentation]

    init(_ parts: [any TransferRepresentation]) { self.parts = parts }

    /// A representation that combines all these representations.
    public var body: some TransferRepresentation { JoinedRepresentation<Item>(parts: parts) }
}

// The parts are resolved directly and not through the body, because a long list consists of nested pairs, and each
// level would count as a type of the ``ResolutionPath``.
extension TupleTransferRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        parts.reduce(into: Resolution()) { $0.append($1.resolved(&path)) }
    }
}

private struct JoinedRepresentation<Item: Transferable>: ResolvableRepresentation {
    typealias Body = Never
    let parts: [any TransferRepresentation]

    func resolve(_ path: inout ResolutionPath) -> Resolution {
        parts.reduce(into: Resolution()) { $0.append($1.resolved(&path)) }
    }
}
