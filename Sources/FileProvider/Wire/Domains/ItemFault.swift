import Conduit

/// The reason why an item could not be uploaded, for the user.
package struct ItemFault: Message, Equatable {
    /// The condition for a retry.
    package enum Kind: UInt8, Sendable, MessageValue {
        /// A fault that is retried automatically.
        case transient = 0
        /// A fault that is retried after the user says that it is resolved.
        case persistent = 1
        /// A fault that is retried after the next sign-in.
        case authentication = 2
    }

    package let kind: Kind
    /// The fault in one sentence.
    package let message: String
    /// The provider's suggestion for the user.
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
