import Foundation

/// Makes one representation of the list that a program writes.
@resultBuilder public struct TransferRepresentationBuilder<Item> where Item: Transferable {
    /// A codable representation, whose item type need not be written.
    public static func buildExpression<Encoder, Decoder>(
        _ content: CodableRepresentation<Item, Encoder, Decoder>
    ) -> CodableRepresentation<Item, Encoder, Decoder>
    where
        Item: Decodable, Item: Encodable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder, Encoder.Output == Data,
        Decoder.Input == Data
    {
        content
    }

    /// A representation of the same item.
    public static func buildExpression<R>(_ content: R) -> R where Item == R.Item, R: TransferRepresentation {
        content
    }

    /// One representation.
    public static func buildBlock<Content>(_ content: Content) -> Content
    where Item == Content.Item, Content: TransferRepresentation {
        content
    }

    /// Two representations.
    public static func buildBlock<C1, C2>(
        _ content1: C1, _ content2: C2
    ) -> TupleTransferRepresentation<Item, (C1, C2)>
    where Item == C1.Item, C1: TransferRepresentation, C2: TransferRepresentation, C1.Item == C2.Item {
        TupleTransferRepresentation([content1, content2])
    }

    /// The first of more than two representations.
    public static func buildPartialBlock<Content>(first content: Content) -> Content
    where Item == Content.Item, Content: TransferRepresentation {
        content
    }

    /// Those before, and one more.
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

    /// Stands for all of them.
    public var body: some TransferRepresentation { JoinedRepresentation<Item>(parts: parts) }
}

// Not by way of its body: a list of many is a list in a list in a list, and each would count as a representation of its own.
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
