import Conduit

/// Why an item's contents could not be sent to the service, as a person needs to know it.
package struct ItemFault: Message, Equatable {
    /// What becomes of it.
    package enum Kind: UInt8, Sendable, MessageValue {
        /// It is tried again by itself.
        case transient = 0
        /// It is tried again when a person says that something was done about it.
        case persistent = 1
        /// It is tried again when somebody has signed in.
        case authentication = 2
    }

    package let kind: Kind
    /// One sentence.
    package let message: String
    /// What to do about it, as the provider says.
    package let suggestion: String?

    package init(kind: Kind, message: String, suggestion: String?) {
        self.kind = kind
        self.message = message
        self.suggestion = suggestion
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        kind = try decoder.decode(forKey: 0)
        message = try decoder.decode(forKey: 1)
        suggestion = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(kind, forKey: 0)
        encoder.encode(message, forKey: 1)
        encoder.encodeIfPresent(suggestion, forKey: 2)
    }
}
