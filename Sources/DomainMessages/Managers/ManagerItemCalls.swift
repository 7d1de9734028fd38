import Conduit
import FileProviderWire

/// A request for the path at which the user sees an item.
package struct VisiblePathCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visiblePath }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    package let item: String

    package init(domain: String?, item: String) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))

    package struct Value: SchemaMessage {
        /// The absolute path of the item.
        package let path: String
        package let isFolder: Bool

        package init(path: String, isFolder: Bool) {
            self.path = path
            self.isFolder = isFolder
        }

        package static let schema = Schema(Self.init, Field(0, \.path), Field(1, \.isFolder))
    }
}

/// A request for the item at a path in a mount. The item must belong to the client's own provider.
package struct VisibleItemCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visibleItem }
    /// The absolute path of the item.
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

/// A request to materialize or to evict an item. Cancelling the request stops the transfer.
package struct ManagerTransferCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.transfer }
    package enum Direction: UInt8, Sendable, MessageValue {
        case here = 0
        case away = 1
    }

    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
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

/// A request to import an item again, with everything in it. The reply comes when the import has begun.
package struct ManagerReimportCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.reimport }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    package let item: String

    package init(domain: String?, item: String) {
        self.domain = domain
        self.item = item
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item))
}

/// A request whose reply comes when pending changes were synchronized. Cancelling the request ends the wait.
package struct ManagerSettleCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.settle }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    /// The identifier of the item to wait for. The reply comes when the provider has the local changes of this item and
    /// of everything in it. If `nil`, the reply comes when all local changes and all changes at the provider are
    /// synchronized.
    package let item: String?
    /// The identifier of the item whose change the client is processing; `nil` if there is none, or if the client does
    /// not know it. The daemon does not wait for changes of this item.
    package let inside: String?
    /// The identifiers of the items whose changes the client's process is processing, if ``inside`` is `nil`. The
    /// request may come from the code that processes any one of these changes. The daemon must not wait for that
    /// change.
    package let serving: [String]

    package init(domain: String?, item: String?, inside: String? = nil, serving: [String] = []) {
        self.domain = domain
        self.item = item
        self.inside = inside
        self.serving = serving
    }

    package static let schema = Schema(
        Self.init(domain:item:inside:serving:), Field(0, \.domain), Field(1, \.item), Field(2, \.inside),
        Field(3, unlessEmpty: \.serving))
}
