import Conduit
import Foundation
import LinuxSystem

/// The daemon tells a provider's process that a consumer wants one of its items, and gives it the socket to the consumer.
package struct AcceptConsumerCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 1 }
    package let identifier: UUID
    package let socket: FileDescriptor
    /// The positions of the representations that this consumer may load, and no others.
    package let permitted: [Int]

    package init(identifier: UUID, socket: FileDescriptor, permitted: [Int]) {
        self.identifier = identifier
        self.socket = socket
        self.permitted = permitted
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        socket = try decoder.decode(forKey: 1)
        permitted = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(socket, forKey: 1)
        encoder.encode(permitted, forKey: 2)
    }
}

/// The daemon tells a provider's process that an item is over, because the board has got other contents.
package struct OfferReplacedNotice: Notice {
    package static var method: UInt64 { 1 }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }
}

/// The daemon ends because it was told to. Clients do not start it again by themselves.
package struct DaemonEndingNotice: Notice {
    package static var method: UInt64 { 2 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}
