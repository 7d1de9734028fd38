import Conduit
import Foundation
import ItemProvider

/// Passes the daemon the contents of one representation of an item, so that it can be loaded after this process has
/// ended.
package struct HoldCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.hold }
    package let identifier: UUID
    package let index: Int
    package let supply: SupplyMessage
    /// The representation's object of the coercing interface, if it has one.
    package let item: ItemMessage?
    /// The board whose contents the item is about to replace. Its held representations do not count towards the
    /// limits.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        index = try decoder.decode(forKey: 1)
        supply = try decoder.decode(forKey: 2)
        replacedBoard = try decoder.decodeIfPresent(forKey: 3)
        item = try decoder.decodeIfPresent(forKey: 4)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(index, forKey: 1)
        encoder.encode(supply, forKey: 2)
        encoder.encodeIfPresent(replacedBoard, forKey: 3)
        encoder.encodeIfPresent(item, forKey: 4)
    }
}

/// Makes the daemon offer an item, with the representations that it holds.
package struct TakeOverCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.takeOver }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }
}

/// Announces that this process is about to end in good order. The reply lists the items to hand over.
package struct PrepareToQuitCall: Call {
    package static var method: UInt64 { DaemonMethod.prepareToQuit }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        package let identifiers: [UUID]

        package init(identifiers: [UUID]) { self.identifiers = identifiers }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            identifiers = try decoder.decode(forKey: 0)
        }

        package func encode(to encoder: inout MessageEncoder) { encoder.encode(identifiers, forKey: 0) }
    }
}
