import Conduit

/// A consumer asks a provider's process for one representation of the item that their socket is for.
package struct LoadCall: Call {
    package static var method: UInt64 { 1 }
    /// The position of the representation in the item's manifest.
    package let index: Int
    package let delivery: Delivery

    package init(index: Int, delivery: Delivery) {
        self.index = index
        self.delivery = delivery
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        index = try decoder.decode(forKey: 0)
        delivery = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(index, forKey: 0)
        encoder.encode(delivery, forKey: 1)
    }

    /// What the load handler came to.
    package enum Reply: Message {
        case supplied(SupplyMessage)
        case failed(FailureMessage)

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            if let supply = try decoder.decodeIfPresent(SupplyMessage.self, forKey: 0) {
                self = .supplied(supply)
            } else {
                self = .failed(try decoder.decode(forKey: 1))
            }
        }

        package func encode(to encoder: inout MessageEncoder) {
            switch self {
            case .supplied(let supply): encoder.encode(supply, forKey: 0)
            case .failed(let failure): encoder.encode(failure, forKey: 1)
            }
        }
    }
}

extension Delivery: MessageValue {}
