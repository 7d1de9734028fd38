import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// The numbers of the clients' calls to the daemon. The numbers are part of the protocol, and none is ever reused.
package enum DaemonMethod {
    package static let offer: UInt64 = 1
    package static let withdraw: UInt64 = 2
    package static let replaceContents: UInt64 = 3
    package static let list: UInt64 = 4
    package static let open: UInt64 = 5
    package static let changeCount: UInt64 = 6
    package static let hold: UInt64 = 7
    package static let takeOver: UInt64 = 8
    package static let prepareToQuit: UInt64 = 9
    package static let registerBundle: UInt64 = 10
    package static let removeBundle: UInt64 = 11
    package static let listBundles: UInt64 = 12
    package static let status: UInt64 = 13
    package static let folders: UInt64 = 14
}

/// Adds an item to a board. The reply is the board's change count.
package struct OfferCall: Call, SchemaMessage {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.offer }
    package let board: String
    package let manifest: OfferManifest

    package init(board: String, manifest: OfferManifest) {
        self.board = board
        self.manifest = manifest
    }

    package static let schema = Schema(Self.init, Field(0, \.board), Field(1, \.manifest))
}

/// Withdraws an item that this client offers.
package struct WithdrawCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.withdraw }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// Replaces the contents of a board. The items that were on the board are no longer offered.
package struct ReplaceContentsCall: Call, SchemaMessage {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.replaceContents }
    package let board: String
    package let manifests: [OfferManifest]
    /// Whether to replace the contents only if the board was not used since the daemon started. A client sets this when
    /// it offers contents again after a restart of the daemon, because they must not replace newer contents.
    package let onlyIfUntouched: Bool
    /// The change count of contents that this client has written earlier and now changes; `nil` for new contents. If it
    /// is not `nil`, the board's change count stays the same. The call fails if the board has another change count, or
    /// items of other clients.
    package let amending: UInt64?
    /// Whether the client removes the board. If the board is empty after the call, it counts as never used.
    package let isRemoval: Bool

    package init(
        board: String, manifests: [OfferManifest], onlyIfUntouched: Bool = false, amending: UInt64? = nil,
        isRemoval: Bool = false
    ) {
        self.board = board
        self.manifests = manifests
        self.onlyIfUntouched = onlyIfUntouched
        self.amending = amending
        self.isRemoval = isRemoval
    }

    package static let schema = Schema(
        Self.init, Field(0, \.board), Field(1, \.manifests), Field(2, \.onlyIfUntouched, default: false),
        Field(3, \.amending), Field(4, \.isRemoval, default: false))
}

/// Asks for the change count of a board.
package struct ChangeCountCall: Call, SchemaMessage {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.changeCount }
    package let board: String

    package init(board: String) { self.board = board }

    package static let schema = Schema(Self.init, Field(0, \.board))
}

package struct ChangeCountReply: SchemaMessage {
    package let changeCount: UInt64
    /// Whether the board has been used, and was not removed from the daemon's table since then. The table retains a
    /// limited number of boards.
    package let isTouched: Bool

    package init(changeCount: UInt64, isTouched: Bool = true) {
        self.changeCount = changeCount
        self.isTouched = isTouched
    }

    package static let schema = Schema(Self.init, Field(0, \.changeCount), Field(1, \.isTouched, default: true))
}

/// Asks for the items on a board that the client may see. A long list is sent in several pages, each in reply to one
/// call.
package struct ListCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.list }
    package let board: String
    /// The value of `next` in the reply with the previous page; 0 for the first page.
    package let cursor: UInt64

    package init(board: String, cursor: UInt64 = 0) {
        self.board = board
        self.cursor = cursor
    }

    package static let schema = Schema(Self.init, Field(0, \.board), Field(1, \.cursor, absent: 0))

    package struct Reply: SchemaMessage {
        package let manifests: [OfferManifest]
        /// The cursor of the next page; `nil` after the last page.
        package let next: UInt64?
        package let changeCount: UInt64

        package init(manifests: [OfferManifest], next: UInt64?, changeCount: UInt64) {
            self.manifests = manifests
            self.next = next
            self.changeCount = changeCount
        }

        package static let schema = Schema(Self.init, Field(0, \.manifests), Field(1, \.next), Field(2, \.changeCount))
    }
}

/// Asks for a socket to the process that offers an item. The consumer then loads the item over this socket, without the
/// daemon.
package struct OpenCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.open }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))

    package struct Reply: SchemaMessage {
        package let socket: FileDescriptor

        package init(socket: FileDescriptor) { self.socket = socket }

        package static let schema = Schema(Self.init, Field(0, \.socket))
    }
}

/// Asks for the status of the daemon itself.
package struct StatusCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.status }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let processID: Int32
        /// The number of items on all boards.
        package let offers: Int
        /// The total size, in bytes, of the memory files that the daemon holds for processes that have ended.
        package let heldBytes: Int

        package init(processID: Int32, offers: Int, heldBytes: Int) {
            self.processID = processID
            self.offers = offers
            self.heldBytes = heldBytes
        }

        package static let schema = Schema(Self.init, Field(0, \.processID), Field(1, \.offers), Field(2, \.heldBytes))
    }
}
