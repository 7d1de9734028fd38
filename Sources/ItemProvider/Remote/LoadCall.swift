import Conduit
import LinuxSystem

/// A request to a provider's process for one representation of the item to which their socket belongs.
package struct LoadCall: Call {
    package static var method: UInt64 { 1 }
    /// The position of the representation in the item's manifest.
    package let index: Int
    package let delivery: Delivery
    /// A directory of a confined consumer, into which an offered directory is copied. A confined consumer cannot open
    /// the contents of a received directory.
    package let target: FileDescriptor?

    package init(index: Int, delivery: Delivery, target: FileDescriptor? = nil) {
        self.index = index
        self.delivery = delivery
        self.target = target
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        index = try decoder.decode(forKey: 0)
        delivery = try decoder.decode(forKey: 1)
        target = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(index, forKey: 0)
        encoder.encode(delivery, forKey: 1)
        encoder.encodeIfPresent(target, forKey: 2)
    }

    /// The result of the load handler.
    package enum Reply: Message {
        case supplied(SupplyMessage)
        case failed(FailureMessage)
        /// A directory of this name was copied into the consumer's directory, see ``FolderPlacement``.
        case placed(name: String)

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            if let supply = try decoder.decodeIfPresent(SupplyMessage.self, forKey: 0) {
                self = .supplied(supply)
            } else if let name = try decoder.decodeIfPresent(String.self, forKey: 2) {
                self = .placed(name: name)
            } else {
                self = .failed(try decoder.decode(forKey: 1))
            }
        }

        package func encode(to encoder: inout MessageEncoder) {
            switch self {
            case .supplied(let supply): encoder.encode(supply, forKey: 0)
            case .failed(let failure): encoder.encode(failure, forKey: 1)
            case .placed(let name): encoder.encode(name, forKey: 2)
            }
        }
    }
}

extension Delivery: MessageValue {}
