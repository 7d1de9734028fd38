import Conduit

/// A request for whether the user has suppressed an interaction of the provider, or to suppress the interaction or
/// allow it again.
package struct ProviderSuppressionCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderSuppression
    package typealias Reply = ProviderReply<ProviderSuppression>
    package static var method: UInt64 { 38 }
    /// The suppression identifier in the provider's property list.
    package let identifier: String
    /// Whether to suppress the interaction; `nil` to request the current state.
    package let change: Bool?

    package init(identifier: String, change: Bool? = nil) {
        self.identifier = identifier
        self.change = change
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.change))
}

/// Whether a provider's interaction with the user is suppressed.
package struct ProviderSuppression: SchemaMessage, Equatable {
    /// Whether the user has suppressed the interaction.
    package let isSuppressed: Bool

    package init(isSuppressed: Bool) { self.isSuppressed = isSuppressed }

    package static let schema = Schema(Self.init, Field(0, \.isSuppressed))
}
