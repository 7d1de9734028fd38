import Conduit

/// A request to perform a custom action on items. It reports progress in thousandths. Cancelling it stops the
/// provider.
package struct ProviderActionCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 34 }
    /// The action's identifier in the provider's property list.
    package let action: String
    /// The items' identifiers.
    package let identifiers: [String]

    /// The most items of a request.
    package static let mostItems = 10_000

    package init(action: String, identifiers: [String]) {
        self.action = action
        self.identifiers = identifiers
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        action = try decoder.decode(forKey: 0)
        identifiers = try decoder.decode(forKey: 1)
        guard identifiers.count <= Self.mostItems else { throw .invalid("an action on \(identifiers.count) items") }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(action, forKey: 0)
        encoder.encode(identifiers, forKey: 1)
    }
}
