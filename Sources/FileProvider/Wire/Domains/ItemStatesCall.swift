import Conduit

/// A request for the states of many items. The reply comes from local knowledge: no provider is asked or started.
package struct ItemStatesCall: Call {
    package static var method: UInt64 { DomainMethod.itemStates }
    /// The items. Symbolic links are not followed.
    package let places: [ItemPlace]

    /// The most places of a request; one with more is refused.
    package static let mostPlaces = 4096

    package init(places: [ItemPlace]) { self.places = places }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { places = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(places, forKey: 0) }

    package struct Reply: Message {
        /// The states, one for each place in the same order.
        package let standings: [ItemStanding]

        package init(standings: [ItemStanding]) { self.standings = standings }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            standings = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(standings, forKey: 0) }
    }
}
