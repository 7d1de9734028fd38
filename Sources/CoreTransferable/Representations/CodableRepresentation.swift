import Foundation
import LinuxSystem
import Synchronization
import UniformTypeIdentifiers

/// A representation that encodes and decodes values. It uses JSON, unless the program provides its own coders.
public struct CodableRepresentation<Item, Encoder, Decoder>: TransferRepresentation, Sendable
where
    Item: Transferable, Item: Decodable, Item: Encodable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder,
    Encoder.Output == Data, Decoder.Input == Data
{
    /// `Never`: the representation is not composed of others.
    public typealias Body = Never

    private let contentType: UTType
    private let coders: Coders

    /// Creates a representation that encodes values as JSON, with the given content type.
    public init(for itemType: Item.Type = Item.self, contentType: UTType)
    where Encoder == JSONEncoder, Decoder == JSONDecoder {
        self.init(for: itemType, contentType: contentType, encoder: JSONEncoder(), decoder: JSONDecoder())
    }

    /// Creates a representation that uses the given encoder and decoder, with the given content type.
    public init(for itemType: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
        self.contentType = contentType
        coders = Coders(encoder, decoder)
    }

    /// The coders, which are used by one thread at a time.
    ///
    /// Sendable because the coders are used under the lock only. If a program passes a coder of its own class to
    /// several representations, the coder must be thread-safe. As in Apple's declaration, the compiler does not check
    /// this.
    private final class Coders: @unchecked Sendable {
        private let encoder: Encoder
        private let decoder: Decoder
        // Leaf lock, except for locks that the item's own coding takes. It may be held for long, so no thread of
        // Swift's task pool waits for it.
        private let lock = Mutex(())

        init(_ encoder: Encoder, _ decoder: Decoder) {
            self.encoder = encoder
            self.decoder = decoder
        }

        func encode(_ item: Item) throws -> Data { try lock.withLock { _ in try encoder.encode(item) } }

        func decode(_ data: Data) throws -> TransferredValue {
            try lock.withLock { _ in TransferredValue(value: try decoder.decode(Item.self, from: data)) }
        }
    }
}

extension CodableRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        Resolution(
            exports: [
                ResolvedExport(
                    contentType: contentType,
                    payload: .data { value in
                        try await HandlerThreads.shared.value { try coders.encode(try value.as(Item.self)) }
                    })
            ],
            imports: [
                ResolvedImport(
                    contentType: contentType,
                    payload: .data { data in try await HandlerThreads.shared.value { try coders.decode(data) } })
            ])
    }
}

/// A type that encodes values of any type to one kind of output. On Apple's platforms it is part of Combine.
public protocol TopLevelEncoder<Output>: SendableMetatype {
    associatedtype Output
    /// Encodes a value.
    func encode<T>(_ value: T) throws -> Output where T: Encodable
}

/// A type that decodes values of any type from one kind of input. On Apple's platforms it is part of Combine.
public protocol TopLevelDecoder<Input>: SendableMetatype {
    associatedtype Input
    /// Decodes a value.
    func decode<T>(_ type: T.Type, from: Input) throws -> T where T: Decodable
}

extension JSONEncoder: TopLevelEncoder {
    /// The output, which is data.
    public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
    /// The input, which is data.
    public typealias Input = Data
}

extension PropertyListEncoder: TopLevelEncoder {
    /// The output, which is data.
    public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {
    /// The input, which is data.
    public typealias Input = Data
}
