/// A message that can be sent over a connection: a CBOR map with small integers as keys.
///
/// The two sides may be of different versions. A reader skips unknown keys. Keys that an older writer does not know
/// are absent, which `decodeIfPresent` allows for. A key never changes its meaning or type.
///
///     struct Greeting: Message {
///         var name: String
///         var picture: FileDescriptor?
///
///         init(from decoder: inout MessageDecoder) throws(MessageError) {
///             name = try decoder.decode(forKey: 0)
///             picture = try decoder.decodeIfPresent(forKey: 1)
///         }
///
///         func encode(to encoder: inout MessageEncoder) {
///             encoder.encode(name, forKey: 0)
///             encoder.encodeIfPresent(picture, forKey: 1)
///         }
///     }
///
/// A coding that only lists the fields is derived from a ``Schema``.
///
/// Both functions run with no lock held, on the thread that sends or on the connections' thread. They must not block.
@usableFromInline package protocol Message: MessageValue, Sendable {
    init(from decoder: inout MessageDecoder) throws(MessageError)
    /// Writes the message's values, in ascending order of keys.
    func encode(to encoder: inout MessageEncoder)
}

/// A message that is answered with a reply.
package protocol Call: Message {
    associatedtype Reply: Message
    /// The number of this call in the protocol. It is never reused for another call.
    static var method: UInt64 { get }
}

/// A message without a reply. The sender does not learn whether it was understood. If that matters, use a `Call`.
package protocol Notice: Message {
    /// The number of this notice among the notices of the protocol. It is never reused for another notice.
    static var method: UInt64 { get }
}

/// A message without contents. It is the reply to calls that only need a confirmation.
package struct Empty: Message, Hashable {
    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// The reason why received bytes are not the expected message.
@usableFromInline package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not the CBOR that the message consists of.
    case malformed(CBORError)
    /// The keys of a map are not unsigned integers in ascending order.
    case keysOutOfOrder(offset: Int)
    /// A required key is absent.
    case missing(key: UInt64)
    /// A value refers to a descriptor that did not arrive with the message.
    case missingDescriptor(index: UInt64)
    /// A value is of the right type, but the message's own rules do not allow it.
    case invalid(String)

    @usableFromInline package var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .keysOutOfOrder(let offset): "keys out of order, at byte \(offset)"
        case .missing(let key): "key \(key) is missing"
        case .missingDescriptor(let index): "descriptor \(index) did not come with it"
        case .invalid(let words): words
        }
    }
}
