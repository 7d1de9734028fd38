import Conduit
import Foundation
import LinuxSystem

/// Passes a provider's process the socket to a consumer of one of its items. Sent by the daemon.
package struct AcceptConsumerCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { 1 }
    package let identifier: UUID
    package let socket: FileDescriptor
    /// The indexes of the representations that this consumer may load.
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

/// Notifies a provider's process that an item's offer has ended, because the board's contents were replaced. Sent by
/// the daemon.
package struct OfferReplacedNotice: Notice {
    package static var method: UInt64 { 1 }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }
}

/// Announces that the daemon ends on request. Clients must not restart it without a request.
package struct DaemonEndingNotice: Notice {
    package static var method: UInt64 { 2 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}
