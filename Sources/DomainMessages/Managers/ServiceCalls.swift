import Conduit
import FileProviderWire
import LinuxSystem

/// A request for the names of the services that a provider offers for one of its items.
package struct ItemServicesCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.services }

    package enum Place: Sendable, Equatable {
        /// The item at the given absolute path. The reply leaves out restricted services, which are only for the
        /// provider's own programs.
        case path(String)
        /// The item with the given identifier, of the client's own provider. If `domain` is `nil`, the item is in the
        /// domain that the user, not a program, added.
        case item(String, domain: String?)
    }

    package let place: Place

    package init(place: Place) { self.place = place }

    package static let schema = Schema(Self.init, Field(inline: Place.schema, \.place))

    package struct Value: SchemaMessage {
        /// The name by which the daemon knows the domain.
        package let domain: String
        /// The identifier that the provider uses for the item.
        package let item: String
        package let names: [String]

        package init(domain: String, item: String, names: [String]) {
            self.domain = domain
            self.item = item
            self.names = names
        }

        package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item), Field(2, \.names))
    }
}

extension ItemServicesCall.Place {
    /// The schema of a place. The fields of a place are encoded as fields of the request.
    fileprivate static let schema = Schema<ItemServicesCall.Place>(tag: nil) {
        Case(0, Self.path, Field(0, \.self)) { if case .path(let path) = $0 { path } else { nil } }
        Case(1, Self.item, Field(1, \.0), Field(2, \.1)) {
            if case .item(let item, let domain) = $0 { (item, domain) } else { nil }
        }
    }
}

/// A request to connect the client to one of the services for an item.
package struct OpenServiceCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.openService }
    /// The domain and the item, as they are in the reply to ``ItemServicesCall``.
    package let domain: String
    package let item: String
    package let name: String

    package init(domain: String, item: String, name: String) {
        self.domain = domain
        self.item = item
        self.name = name
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item), Field(2, \.name))

    package struct Value: SchemaMessage {
        /// A connected socket, at whose other end the provider offers the service.
        package let socket: FileDescriptor

        package init(socket: FileDescriptor) { self.socket = socket }

        package static let schema = Schema(Self.init, Field(0, \.socket))
    }
}
