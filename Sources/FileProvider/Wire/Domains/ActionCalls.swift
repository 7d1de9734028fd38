import Conduit

/// A request for the provider's custom actions that fit an item. The daemon replies without asking the provider if
/// the item is known locally.
package struct ListActionsCall: Call {
    package static var method: UInt64 { DomainMethod.listActions }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { place = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(place, forKey: 0) }

    package struct Reply: Message {
        package let actions: [ActionDescription]
        /// The faults of other actions of the provider, one sentence each.
        package let faults: [String]

        package init(actions: [ActionDescription], faults: [String]) {
            self.actions = actions
            self.faults = faults
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            actions = try decoder.decode(forKey: 0)
            faults = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(actions, forKey: 0)
            encoder.encode(faults, forKey: 1)
        }
    }
}

/// A custom action of a provider.
package struct ActionDescription: Message, Equatable {
    package let identifier: String
    /// The display name.
    package let name: String
    /// The user interface extension that performs the action with the user; `nil` if the provider performs it alone.
    package let interface: String?

    package init(identifier: String, name: String, interface: String?) {
        self.identifier = identifier
        self.name = name
        self.interface = interface
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        name = try decoder.decode(forKey: 1)
        interface = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(name, forKey: 1)
        encoder.encodeIfPresent(interface, forKey: 2)
    }
}

/// A request to perform one of the provider's actions on an item. The reply comes when it is done; cancelling it
/// stops the provider.
package struct PerformActionCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.performAction }
    package let place: ItemPlace
    /// The action's identifier.
    package let action: String

    package init(place: ItemPlace, action: String) {
        self.place = place
        self.action = action
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        action = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        encoder.encode(action, forKey: 1)
    }
}
