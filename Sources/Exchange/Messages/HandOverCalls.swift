import Conduit
import Foundation
import ItemProvider

/// Passes the daemon the contents of one representation of an item, so that the representation can be loaded after this
/// process has ended.
package struct HoldCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.hold }
    package let identifier: UUID
    package let index: Int
    package let supply: SupplyMessage
    /// The object that `loadItem` returns for this representation; `nil` if there is none.
    package let item: ItemMessage?
    /// The board whose contents the item is about to replace; `nil` if the item is already offered. The representations
    /// that the daemon holds for the present contents of this board do not count towards the limits.
    package let replacedBoard: String?

    package init(
        identifier: UUID, index: Int, supply: SupplyMessage, item: ItemMessage? = nil, replacedBoard: String? = nil
    ) {
        self.identifier = identifier
        self.index = index
        self.supply = supply
        self.item = item
        self.replacedBoard = replacedBoard
    }

    package static let schema = Schema(
        { Self(identifier: $0, index: $1, supply: $2, item: $4, replacedBoard: $3) }, Field(0, \.identifier),
        Field(1, \.index), Field(2, \.supply), Field(3, \.replacedBoard), Field(4, \.item))
}

/// Makes the daemon offer an item, with the representations that this process has passed to it.
package struct TakeOverCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.takeOver }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// Announces that this process is about to exit normally. The reply lists the items that the process should pass to the
/// daemon.
package struct PrepareToQuitCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.prepareToQuit }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let identifiers: [UUID]

        package init(identifiers: [UUID]) { self.identifiers = identifiers }

        package static let schema = Schema(Self.init, Field(0, \.identifiers))
    }
}
