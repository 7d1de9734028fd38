import Conduit
import Foundation
import LinuxSystem

/// Passes a socket to the process that offers an item. A consumer of the item has the socket's other end. The daemon
/// sends this call.
package struct AcceptConsumerCall: Call, SchemaMessage {
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

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.socket), Field(2, \.permitted))
}

/// Notifies the process that offers an item that the offer has ended, because the board's contents were replaced. The
/// daemon sends this notice.
package struct OfferReplacedNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// Announces that the daemon ends because this was requested. Clients must not restart the daemon until it is needed.
package struct DaemonEndingNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 2 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// Asks the daemon for its directories, which depend on the environment in which it was started.
package struct FoldersCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.folders }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        /// The directory of permanent data.
        package let data: String
        /// The directory of the mounted domains.
        package let mounts: String

        package init(data: String, mounts: String) {
            self.data = data
            self.mounts = mounts
        }

        package static let schema = Schema(Self.init, Field(0, \.data), Field(1, \.mounts))
    }
}
