import Conduit
import FileProviderWire

/// A request for the path at which the user sees an item.
package struct VisiblePathCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visiblePath }
    /// The domain's identifier; `nil` for the provider's domain that was added by the user, and not by a program.
    package let domain: String?
    package let item: String

    package init(domain: String?, item: String) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))

    package struct Value: SchemaMessage {
        /// An absolute path.
        package let path: String
        package let isFolder: Bool

        package init(path: String, isFolder: Bool) {
            self.path = path
            self.isFolder = isFolder
        }

        package static let schema = Schema(Self.init, Field(0, \.path), Field(1, \.isFolder))
    }
}

/// A request for the item of the client's provider at a path in a mount.
package struct VisibleItemCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visibleItem }
    /// An absolute path.
    package let path: String

    package init(path: String) { self.path = path }

    package static let schema = Schema(Self.init, Field(0, \.path))

    package struct Value: SchemaMessage {
        package let item: String
        package let domain: String

        package init(item: String, domain: String) {
            self.item = item
            self.domain = domain
        }

        package static let schema = Schema(Self.init, Field(0, \.item), Field(1, \.domain))
    }
}

/// A request to materialize an item, or to evict it. Cancelling it stops the transfer.
package struct ManagerTransferCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.transfer }
    package enum Direction: UInt8, Sendable, MessageValue {
        case here = 0
        case away = 1
    }

    /// The domain's identifier; `nil` for the provider's domain that was added by the user, and not by a program.
    package let domain: String?
    package let item: String
    package let direction: Direction

    package init(domain: String?, item: String, _ direction: Direction) {
        self.domain = domain
        self.item = item
        self.direction = direction
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item), Field(2, \.direction))
}

/// A request to import an item and everything in it again. The reply comes when the import has begun.
package struct ManagerReimportCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.reimport }
    /// The domain's identifier; `nil` for the provider's domain that was added by the user, and not by a program.
    package let domain: String?
    package let item: String

    package init(domain: String?, item: String) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))
}

/// A request that waits until pending changes are synchronized. Cancelling it ends the wait.
package struct ManagerSettleCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.settle }
    /// The domain's identifier; `nil` for the provider's domain that was added by the user, and not by a program.
    package let domain: String?
    /// The item to wait for: the request waits for the local changes of this item and of the items in it. If `nil`, the
    /// request waits for all local changes, and for all changes at the provider.
    package let item: String?
    /// The item whose change the caller is processing; `nil` if there is no such item, or it is not known. The request
    /// does not wait for this item.
    package let inside: String?

    package init(domain: String?, item: String?, inside: String? = nil) {
        self.domain = domain
        self.item = item
        self.inside = inside
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item), Field(2, \.inside))
}
