import Conduit

/// Asks for the states of many items at once. Answered from what is known here: no provider is asked, and none is started.
package struct ItemStatesCall: Call {
    package static var method: UInt64 { DomainMethod.itemStates }
    /// No link in them is followed.
    package let places: [ItemPlace]

    /// More places than these are refused.
    package static let mostPlaces = 4096

    package init(places: [ItemPlace]) { self.places = places }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { places = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(places, forKey: 0) }

    package struct Reply: Message {
        /// One for each place, in their order.
        package let standings: [ItemStanding]

        package init(standings: [ItemStanding]) { self.standings = standings }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            standings = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(standings, forKey: 0) }
    }
}
