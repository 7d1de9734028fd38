import Conduit

/// A request about one of a provider's alerts: to find out whether the user has suppressed it, to suppress it, or to
/// allow it again.
package struct ProviderSuppressionCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderSuppression
    package typealias Reply = ProviderReply<ProviderSuppression>
    package static var method: UInt64 { 38 }
    /// The suppression identifier of the alert in the provider's property list.
    package let identifier: String
    /// `true` to suppress the alert, `false` to allow it again; `nil` only to find out.
    package let change: Bool?

    package init(identifier: String, change: Bool? = nil) {
        self.identifier = identifier
        self.change = change
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.change))
}

/// Whether one of a provider's alerts is suppressed.
package struct ProviderSuppression: SchemaMessage, Equatable {
    /// Whether the user has suppressed the alert.
    package let isSuppressed: Bool

    package init(isSuppressed: Bool) { self.isSuppressed = isSuppressed }

    package static let schema = Schema(Self.init, Field(0, \.isSuppressed))
}
