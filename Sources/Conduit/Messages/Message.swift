/// A message that can be sent over a connection: a CBOR map with small integers as keys.
///
/// The two sides may have different versions of a message. A reader skips unknown keys. An older writer omits keys that
/// it does not know, so newer keys are read with `decodeIfPresent`. A key never changes its meaning or type.
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
/// A message whose coding only lists its fields can declare a ``Schema`` instead.
///
/// `encode` runs on the thread that sends the message, and `init(from:)` on the thread that serves connections. No lock
/// is held. Neither function may block.
@usableFromInline package protocol Message: MessageValue, Sendable {
    init(from decoder: inout MessageDecoder) throws(MessageError)
    /// Writes the message's values, in ascending order of keys.
    func encode(to encoder: inout MessageEncoder)
}

/// A message to which the other side replies.
package protocol Call: Message {
    associatedtype Reply: Message
    /// The number of this type of call in the protocol. It is never reused for another type of call.
    static var method: UInt64 { get }
}

/// A message without a reply. The sender does not learn whether the other side understood the message. A sender that
/// needs to know uses a ``Call``.
package protocol Notice: Message {
    /// The number of this type of notice in the protocol. It is never reused for another type of notice.
    static var method: UInt64 { get }
}

/// A message without values. It is the reply to calls that only need a confirmation.
package struct Empty: Message, Hashable {
    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// The reason why received bytes are not a message of the expected type.
@usableFromInline package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not well-formed CBOR, or a CBOR item has another type than the message requires.
    case malformed(CBORError)
    /// The keys of a map are not unsigned integers in ascending order.
    case keysOutOfOrder(offset: Int)
    /// A required key is absent.
    case missing(key: UInt64)
    /// A value refers to a descriptor that did not arrive with the message.
    case missingDescriptor(index: UInt64)
    /// A value has the right type, but violates a rule of the message type.
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
