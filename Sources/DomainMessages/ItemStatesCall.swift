import Conduit

/// A request for the states of many items. The reply comes from local knowledge: no provider is asked or started.
package struct ItemStatesCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.itemStates }
    /// The items. Symbolic links are not followed.
    package let places: [ItemPlace]

    /// The maximum number of places of a request. A request with more places is refused.
    package static let mostPlaces = 4096

    package init(places: [ItemPlace]) { self.places = places }

    package static let schema = Schema(Self.init, Field(0, \.places))

    package struct Reply: SchemaMessage {
        /// The states, one for each place in the same order.
        package let standings: [ItemStanding]

        package init(standings: [ItemStanding]) { self.standings = standings }

        package static let schema = Schema(Self.init, Field(0, \.standings))
    }
}
