import Conduit

/// A request for the path at which the user sees an item.
package struct VisiblePathCall: ProviderCall {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visiblePath }
    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    package let item: String

    package init(domain: String?, item: String) {
        self.domain = domain
        self.item = item
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        item = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(item, forKey: 1)
    }

    package struct Value: Message {
        /// An absolute path.
        package let path: String
        package let isFolder: Bool

        package init(path: String, isFolder: Bool) {
            self.path = path
            self.isFolder = isFolder
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            path = try decoder.decode(forKey: 0)
            isFolder = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(path, forKey: 0)
            encoder.encode(isFolder, forKey: 1)
        }
    }
}

/// A request for the item of the client's provider at a path in a mount.
package struct VisibleItemCall: ProviderCall {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { ManagerMethod.visibleItem }
    /// An absolute path.
    package let path: String

    package init(path: String) { self.path = path }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { path = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(path, forKey: 0) }

    package struct Value: Message {
        package let item: String
        package let domain: String

        package init(item: String, domain: String) {
            self.item = item
            self.domain = domain
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            item = try decoder.decode(forKey: 0)
            domain = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(item, forKey: 0)
            encoder.encode(domain, forKey: 1)
        }
    }
}

/// A request to materialize an item, or to evict it. Cancelling it stops the transfer.
package struct ManagerTransferCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.transfer }
    package enum Direction: UInt8, Sendable, MessageValue {
        case here = 0
        case away = 1
    }

    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    package let item: String
    package let direction: Direction

    package init(domain: String?, item: String, _ direction: Direction) {
        self.domain = domain
        self.item = item
        self.direction = direction
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        item = try decoder.decode(forKey: 1)
        direction = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(item, forKey: 1)
        encoder.encode(direction, forKey: 2)
    }
}

/// A request that waits until pending changes are synchronized. Cancelling it ends the wait.
package struct ManagerSettleCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.settle }
    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    /// The item to wait for: its local changes, and those of the items in it. `nil` waits for all local changes, and
    /// for the provider's.
    package let item: String?
    /// The item whose change the caller is working on, for which the request does not wait; `nil` if that is not
    /// known.
    package let inside: String?

    package init(domain: String?, item: String?, inside: String? = nil) {
        self.domain = domain
        self.item = item
        self.inside = inside
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        item = try decoder.decodeIfPresent(forKey: 1)
        inside = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encodeIfPresent(item, forKey: 1)
        encoder.encodeIfPresent(inside, forKey: 2)
    }
}
