import Conduit
import LinuxSystem

/// A request to a provider's process for one representation of the item to which their socket belongs.
package struct LoadCall: Call, SchemaMessage {
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

    package static let schema = Schema(Self.init, Field(0, \.index), Field(1, \.delivery), Field(2, \.target))

    /// The result of the load handler.
    package enum Reply: SchemaMessage {
        case supplied(SupplyMessage)
        case failed(FailureMessage)
        /// A directory of this name was copied into the consumer's directory, see ``FolderPlacement``.
        case placed(name: String)

        package static let schema = Schema<Reply>(tag: nil) {
            Case(0, Self.supplied, Field(0, \.self)) { if case .supplied(let supply) = $0 { supply } else { nil } }
            Case(2, Self.placed, Field(2, \.self)) { if case .placed(let name) = $0 { name } else { nil } }
            Case(1, Self.failed, Field(1, \.self)) { if case .failed(let failure) = $0 { failure } else { nil } }
        }
    }
}

extension Delivery: MessageValue {}
