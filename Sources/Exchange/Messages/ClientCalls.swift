import Conduit
import Foundation
import LinuxSystem

/// Passes a provider's process the socket to a consumer of one of its items. Sent by the daemon.
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

/// Notifies a provider's process that an item's offer has ended, because the board's contents were replaced. Sent by
/// the daemon.
package struct OfferReplacedNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// Announces that the daemon ends on request. Clients must not restart it without a request.
package struct DaemonEndingNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 2 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// Asks for the directories of the daemon, which depend on the environment in which it was started.
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
