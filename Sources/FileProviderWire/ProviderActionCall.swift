import Conduit

/// A request to perform a custom action on items. It reports progress in thousandths. Cancelling it stops the
/// provider.
package struct ProviderActionCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 34 }
    /// The action's identifier in the provider's property list.
    package let action: String
    /// The items' identifiers.
    package let identifiers: [String]

    /// The maximum number of items of a request.
    package static let mostItems = 10_000

    package init(action: String, identifiers: [String]) {
        self.action = action
        self.identifiers = identifiers
    }

    package static let schema = Schema(Self.init, Field(0, \.action), Field(1, \.identifiers))
        .checked { call throws(MessageError) in
            let count = call.identifiers.count
            guard count <= mostItems else { throw .invalid("an action on \(count) items") }
        }
}
