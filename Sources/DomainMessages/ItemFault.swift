import Conduit

/// The reason why an item could not be uploaded, for the user.
package struct ItemFault: SchemaMessage, Equatable {
    /// The condition for a retry.
    package enum Kind: UInt8, Sendable, MessageValue {
        /// A fault that is retried automatically.
        case transient = 0
        /// A fault that is retried after the user reports it as resolved.
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

    package static let schema = Schema(Self.init, Field(0, \.kind), Field(1, \.message), Field(2, \.suggestion))
}
