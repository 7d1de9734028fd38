import Conduit
import FileProviderWire

/// A request for those custom actions of the provider that can be performed on an item. If the item is known locally,
/// the daemon replies without a request to the provider.
package struct ListActionsCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.listActions }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))

    package struct Reply: SchemaMessage {
        package let actions: [ActionDescription]
        /// Sentences about faults in the provider's declarations of actions.
        package let faults: [String]

        package init(actions: [ActionDescription], faults: [String]) {
            self.actions = actions
            self.faults = faults
        }

        package static let schema = Schema(Self.init, Field(0, \.actions), Field(1, \.faults))
    }
}

/// A custom action of a provider.
package struct ActionDescription: SchemaMessage, Equatable {
    package let identifier: String
    /// The display name.
    package let name: String
    /// The identifier of the user interface extension that performs the action together with the user; `nil` if the
    /// provider performs the action alone.
    package let interface: String?
    /// A phrase for the text that the user has to enter, such as `the name of the user to share with`; `nil` if the
    /// action needs no input.
    package let input: String?
    /// Whether the action is for earlier versions of a file.
    package let concernsVersions: Bool

    package init(
        identifier: String, name: String, interface: String?, input: String? = nil, concernsVersions: Bool = false
    ) {
        self.identifier = identifier
        self.name = name
        self.interface = interface
        self.input = input
        self.concernsVersions = concernsVersions
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.name), Field(2, \.interface), Field(3, \.input),
        Field(4, \.concernsVersions, default: false))
}

/// A request to perform one of the provider's custom actions on an item. The reply comes when the action has completed.
/// Cancelling the request cancels the action.
package struct PerformActionCall: Call, SchemaMessage {
    package typealias Reply = ProviderActionReply
    package static var method: UInt64 { DomainMethod.performAction }
    package let place: ItemPlace
    /// The identifier of the action.
    package let action: String
    /// The user's input; `nil` if the action does not ask for any.
    package let input: String?

    package init(place: ItemPlace, action: String, input: String? = nil) {
        self.place = place
        self.action = action
        self.input = input
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.action), Field(2, \.input))
}
