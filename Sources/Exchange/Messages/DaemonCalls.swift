import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// The numbers of the clients' calls to the daemon. They are part of the protocol, and a number is never reused.
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
package struct OfferCall: Call {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.offer }
    package let board: String
    package let manifest: OfferManifest

    package init(board: String, manifest: OfferManifest) {
        self.board = board
        self.manifest = manifest
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        board = try decoder.decode(forKey: 0)
        manifest = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(board, forKey: 0)
        encoder.encode(manifest, forKey: 1)
    }
}

/// Withdraws an item of this connection.
package struct WithdrawCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.withdraw }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }
}

/// Replaces the contents of a board. The former offers end.
package struct ReplaceContentsCall: Call {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.replaceContents }
    package let board: String
    package let manifests: [OfferManifest]
    /// Whether to do so only if the board was not used since the daemon started: contents from before a restart must
    /// not replace newer ones.
    package let onlyIfUntouched: Bool
    /// The change count that the board must still have, without items of other clients. The count stays the same: a
    /// program continues to write its own contents.
    package let amending: UInt64?
    /// Whether the board is no longer used: when empty, it then equals one that was never used.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        board = try decoder.decode(forKey: 0)
        manifests = try decoder.decode(forKey: 1)
        onlyIfUntouched = try decoder.decodeIfPresent(forKey: 2) ?? false
        amending = try decoder.decodeIfPresent(forKey: 3)
        isRemoval = try decoder.decodeIfPresent(forKey: 4) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(board, forKey: 0)
        encoder.encode(manifests, forKey: 1)
        if onlyIfUntouched { encoder.encode(true, forKey: 2) }
        encoder.encodeIfPresent(amending, forKey: 3)
        if isRemoval { encoder.encode(true, forKey: 4) }
    }
}

/// Asks for the change count of a board.
package struct ChangeCountCall: Call {
    package typealias Reply = ChangeCountReply
    package static var method: UInt64 { DaemonMethod.changeCount }
    package let board: String

    package init(board: String) { self.board = board }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { board = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(board, forKey: 0) }
}

package struct ChangeCountReply: Message {
    package let changeCount: UInt64
    /// Whether the board has been used since it was last removed, as far as that is remembered.
    package let isTouched: Bool

    package init(changeCount: UInt64, isTouched: Bool = true) {
        self.changeCount = changeCount
        self.isTouched = isTouched
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        changeCount = try decoder.decode(forKey: 0)
        isTouched = try decoder.decodeIfPresent(forKey: 1) ?? true
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(changeCount, forKey: 0)
        if !isTouched { encoder.encode(false, forKey: 1) }
    }
}

/// Asks for the items on a board that the client may see. A long list has several pages.
package struct ListCall: Call {
    package static var method: UInt64 { DaemonMethod.list }
    package let board: String
    /// The end of the previous page; 0 for the first page.
    package let cursor: UInt64

    package init(board: String, cursor: UInt64 = 0) {
        self.board = board
        self.cursor = cursor
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        board = try decoder.decode(forKey: 0)
        cursor = try decoder.decodeIfPresent(forKey: 1) ?? 0
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(board, forKey: 0)
        encoder.encode(cursor, forKey: 1)
    }

    package struct Reply: Message {
        package let manifests: [OfferManifest]
        /// The cursor of the next page; `nil` if this is the last.
        package let next: UInt64?
        package let changeCount: UInt64

        package init(manifests: [OfferManifest], next: UInt64?, changeCount: UInt64) {
            self.manifests = manifests
            self.next = next
            self.changeCount = changeCount
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            manifests = try decoder.decode(forKey: 0)
            next = try decoder.decodeIfPresent(forKey: 1)
            changeCount = try decoder.decode(forKey: 2)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(manifests, forKey: 0)
            encoder.encodeIfPresent(next, forKey: 1)
            encoder.encode(changeCount, forKey: 2)
        }
    }
}

/// Asks for a socket to the process that offers an item. From then on the daemon is not involved.
package struct OpenCall: Call {
    package static var method: UInt64 { DaemonMethod.open }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }

    package struct Reply: Message {
        package let socket: FileDescriptor

        package init(socket: FileDescriptor) { self.socket = socket }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            socket = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(socket, forKey: 0) }
    }
}

/// Asks for the status of the daemon itself.
package struct StatusCall: Call {
    package static var method: UInt64 { DaemonMethod.status }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        package let processID: Int32
        /// The number of items on all boards.
        package let offers: Int
        /// The size in bytes of memory files held for processes that have ended.
        package let heldBytes: Int

        package init(processID: Int32, offers: Int, heldBytes: Int) {
            self.processID = processID
            self.offers = offers
            self.heldBytes = heldBytes
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            processID = try decoder.decode(forKey: 0)
            offers = try decoder.decode(forKey: 1)
            heldBytes = try decoder.decode(forKey: 2)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(processID, forKey: 0)
            encoder.encode(offers, forKey: 1)
            encoder.encode(heldBytes, forKey: 2)
        }
    }
}
