import Conduit
import ItemValues

extension ProviderError.Kind: MessageValue {}
extension ProviderItem.Kind: MessageValue {}

extension ProviderError: Message {
    /// The maximum number of bytes of the message for the user; the rest is cut off.
    private static let longestMessage = 4096

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let kind: Kind = try decoder.decode(forKey: 0)
        let domain = try decoder.decode(String.self, forKey: 1)
        let code = try decoder.decode(Int.self, forKey: 2)
        let message = try decoder.decode(String.self, forKey: 3)
        self.init(
            kind, message: message.shortened(toBytes: Self.longestMessage),
            domain: domain.shortened(toBytes: Self.longestMessage), code: code)
        collidingItem = try decoder.decodeIfPresent(String.self, forKey: 4)
        suggestion = try decoder.decodeIfPresent(String.self, forKey: 5)?.shortened(toBytes: Self.longestMessage)
        if let collidingItem, collidingItem.utf8.count > ProviderItem.longestText {
            throw .invalid("an identifier of \(collidingItem.utf8.count) bytes")
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(kind, forKey: 0)
        encoder.encode(domain, forKey: 1)
        encoder.encode(code, forKey: 2)
        encoder.encode(message.shortened(toBytes: Self.longestMessage), forKey: 3)
        if let collidingItem { encoder.encode(collidingItem, forKey: 4) }
        encoder.encodeIfPresent(suggestion?.shortened(toBytes: Self.longestMessage), forKey: 5)
    }
}

/// A provider's reply: the value that was requested, or a failure.
package enum ProviderReply<Value: Message>: Message {
    case done(Value)
    case failed(ProviderError)

    package init(_ result: Result<Value, ProviderError>) {
        self =
            switch result {
            case .success(let value): .done(value)
            case .failure(let failure): .failed(failure)
            }
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        if let value = try decoder.decodeIfPresent(Value.self, forKey: 0) {
            self = .done(value)
        } else {
            self = .failed(try decoder.decode(forKey: 1))
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        switch self {
        case .done(let value): encoder.encode(value, forKey: 0)
        case .failed(let failure): encoder.encode(failure, forKey: 1)
        }
    }

    package func get() throws(ProviderError) -> Value {
        switch self {
        case .done(let value): return value
        case .failed(let failure): throw failure
        }
    }
}

/// A request to a provider, or to the daemon about a provider.
package protocol ProviderCall: Call where Reply == ProviderReply<Value> {
    associatedtype Value: Message
}
