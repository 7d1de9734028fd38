/// What can be sent over a connection: a CBOR map with small integers as keys.
///
/// Both sides need not be of the same age: keys that a reader does not know are skipped, and a key that an older
/// writer does not know is absent, which `decodeIfPresent` allows for. A key never changes its meaning or type.
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
/// Both functions run with no lock held, on the thread that sends or on the connections' thread: they do not block.
package protocol Message: MessageValue, Sendable {
    init(from decoder: inout MessageDecoder) throws(MessageError)
    /// Writes the message's values, keys in ascending order.
    func encode(to encoder: inout MessageEncoder)
}

/// A message that is answered with another message.
package protocol Call: Message {
    associatedtype Reply: Message
    /// The number that stands for this call between the two sides; never reused for another.
    static var method: UInt64 { get }
}

/// A message that is not answered. The sender does not learn whether it was understood: if it matters, use a `Call`.
package protocol Notice: Message {
    /// The number that stands for this notice, among the notices; never reused for another.
    static var method: UInt64 { get }
}

/// A message without contents, for calls whose reply says only that it was done.
package struct Empty: Message, Hashable {
    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}
