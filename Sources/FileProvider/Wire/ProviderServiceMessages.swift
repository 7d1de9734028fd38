import Conduit
import LinuxSystem

/// A request for the names of the provider's services for an item.
package struct ProviderServicesCall: ProviderCall {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { 43 }
    package let identifier: String
    /// Whether the client is a program of the provider's own.
    package let isOwn: Bool

    package init(identifier: String, isOwn: Bool) {
        self.identifier = identifier
        self.isOwn = isOwn
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        isOwn = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(isOwn, forKey: 1)
    }

    package struct Value: Message {
        package let names: [String]

        package init(names: [String]) { self.names = names }

        package init(from decoder: inout MessageDecoder) throws(MessageError) { names = try decoder.decode(forKey: 0) }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(names, forKey: 0) }
    }
}

/// A request to serve a program over a socket. Progress means that the service has begun, the reply that it has
/// ended.
package struct ProviderServiceCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 44 }
    package let identifier: String
    package let name: String
    /// Whether the client is a program of the provider's own.
    package let isOwn: Bool
    package let socket: FileDescriptor

    package init(identifier: String, name: String, isOwn: Bool, socket: FileDescriptor) {
        self.identifier = identifier
        self.name = name
        self.isOwn = isOwn
        self.socket = socket
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        name = try decoder.decode(forKey: 1)
        isOwn = try decoder.decode(forKey: 2)
        socket = try decoder.decode(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(name, forKey: 1)
        encoder.encode(isOwn, forKey: 2)
        encoder.encode(socket, forKey: 3)
    }
}
