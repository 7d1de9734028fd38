import Conduit
import LinuxSystem

/// A request for the names of the services that the provider offers for an item.
package struct ProviderServicesCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { 43 }
    package let identifier: String
    /// Whether the client is one of the provider's own programs.
    package let isOwn: Bool

    package init(identifier: String, isOwn: Bool) {
        self.identifier = identifier
        self.isOwn = isOwn
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.isOwn))

    package struct Value: SchemaMessage {
        package let names: [String]

        package init(names: [String]) { self.names = names }

        package static let schema = Schema(Self.init, Field(0, \.names))
    }
}

/// A request to offer one of the provider's services to a program, over a socket. The provider reports progress when
/// the service has begun, and replies when the service has ended.
package struct ProviderServiceCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 44 }
    package let identifier: String
    package let name: String
    /// Whether the client is one of the provider's own programs.
    package let isOwn: Bool
    package let socket: FileDescriptor

    package init(identifier: String, name: String, isOwn: Bool, socket: FileDescriptor) {
        self.identifier = identifier
        self.name = name
        self.isOwn = isOwn
        self.socket = socket
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.name), Field(2, \.isOwn), Field(3, \.socket))
}
