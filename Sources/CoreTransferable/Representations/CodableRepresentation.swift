import Foundation
import LinuxSystem
import Synchronization
import UniformTypeIdentifiers

/// Exports values as their codes and imports them from these: JSON, unless the program brings a coder of its own.
public struct CodableRepresentation<Item, Encoder, Decoder>: TransferRepresentation, Sendable
where
    Item: Transferable, Item: Decodable, Item: Encodable, Encoder: TopLevelEncoder, Decoder: TopLevelDecoder,
    Encoder.Output == Data, Decoder.Input == Data
{
    /// It is not made of others.
    public typealias Body = Never

    private let contentType: UTType
    private let coders: Coders

    /// JSON under a content type.
    public init(for itemType: Item.Type = Item.self, contentType: UTType)
    where Encoder == JSONEncoder, Decoder == JSONDecoder {
        self.init(for: itemType, contentType: contentType, encoder: JSONEncoder(), decoder: JSONDecoder())
    }

    /// What an encoder makes, under a content type.
    public init(for itemType: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
        self.contentType = contentType
        coders = Coders(encoder, decoder)
    }

    /// Sendable because the coders are used under the lock only, one call at a time. A class of its own coders that a program
    /// gives to several representations must bear calls from several threads, as Apple's declaration expects unchecked.
    private final class Coders: @unchecked Sendable {
        private let encoder: Encoder
        private let decoder: Decoder
        // Innermost but for the coding of the item itself, which takes its time: never waited for on a thread of the tasks.
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
