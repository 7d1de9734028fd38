import Conduit
import ItemValues

/// A request to move an item into the trash.
package struct ProviderTrashCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 21 }
    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// A request to move an item out of the trash.
package struct ProviderUntrashCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 22 }
    package let identifier: String
    /// The identifier of the directory to move the item to; `nil` for the directory that contained it before.
    package let parent: String?
    /// The identifier of the directory that contained the item before; `nil` if the engine does not know it.
    package let former: String?

    package init(identifier: String, parent: String?, former: String? = nil) {
        self.identifier = identifier
        self.parent = parent
        self.former = former
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.parent), Field(2, \.former))
}
