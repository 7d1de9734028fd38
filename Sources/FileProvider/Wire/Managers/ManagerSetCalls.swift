import Conduit

/// A request for the progress of all transfers in one direction.
package struct ManagerProgressCall: ProviderCall {
    package typealias Value = TransferTotals
    package typealias Reply = ProviderReply<TransferTotals>
    package static var method: UInt64 { ManagerMethod.progress }
    /// The domain's identifier; `nil` for the domains that no program has added.
    package let domain: String?
    /// Whether uploads are meant, not downloads.
    package let isUpload: Bool

    package init(domain: String?, isUpload: Bool) {
        self.domain = domain
        self.isUpload = isUpload
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        isUpload = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(isUpload, forKey: 1)
    }

}

/// The progress of all transfers in one direction.
package struct TransferTotals: Message, Equatable {
    /// The number of files in the current run of transfers, including finished ones; 0 while there is nothing to do.
    package var files: Int64
    package var filesDone: Int64
    /// The number of bytes. An empty file counts as one byte.
    package var bytes: Int64
    package var bytesDone: Int64

    package init(files: Int64 = 0, filesDone: Int64 = 0, bytes: Int64 = 0, bytesDone: Int64 = 0) {
        self.files = files
        self.filesDone = filesDone
        self.bytes = bytes
        self.bytesDone = bytesDone
    }

    package static func + (left: TransferTotals, right: TransferTotals) -> TransferTotals {
        TransferTotals(
            files: left.files + right.files, filesDone: left.filesDone + right.filesDone,
            bytes: left.bytes &+ right.bytes, bytesDone: left.bytesDone &+ right.bytesDone)
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        files = try decoder.decode(forKey: 0)
        filesDone = try decoder.decode(forKey: 1)
        bytes = try decoder.decode(forKey: 2)
        bytesDone = try decoder.decode(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(files, forKey: 0)
        encoder.encode(filesDone, forKey: 1)
        encoder.encode(bytes, forKey: 2)
        encoder.encode(bytesDone, forKey: 3)
    }
}

/// A request for one page of a domain's materialized items, or of those with pending changes.
package struct ManagerSetCall: ProviderCall {
    package typealias Value = ItemSetPage
    package typealias Reply = ProviderReply<ItemSetPage>
    package static var method: UInt64 { ManagerMethod.set }
    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    package let set: ItemSet
    /// The position from the previous reply; `nil` for the first page.
    package let position: Int64?
    /// The most items of the reply.
    package let limit: Int

    package init(domain: String?, set: ItemSet, position: Int64?, limit: Int) {
        self.domain = domain
        self.set = set
        self.position = position
        self.limit = limit
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        set = try decoder.decode(forKey: 1)
        position = try decoder.decodeIfPresent(forKey: 2)
        limit = try decoder.decode(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(set, forKey: 1)
        encoder.encodeIfPresent(position, forKey: 2)
        encoder.encode(limit, forKey: 3)
    }
}

/// A request for the version of a set, which differs after any change in the set, and after a restart of the daemon.
/// The reply comes when the version is not ``known``.
package struct ManagerSetVersionCall: ProviderCall {
    package typealias Value = ItemSetVersion
    package typealias Reply = ProviderReply<ItemSetVersion>
    package static var method: UInt64 { ManagerMethod.setVersion }
    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    package let set: ItemSet
    /// The version that the client knows; `nil` to get a reply at once.
    package let known: UInt64?

    package init(domain: String?, set: ItemSet, known: UInt64?) {
        self.domain = domain
        self.set = set
        self.known = known
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        set = try decoder.decode(forKey: 1)
        known = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(set, forKey: 1)
        encoder.encodeIfPresent(known, forKey: 2)
    }
}

/// The version of a set.
package struct ItemSetVersion: Message, Equatable {
    package let version: UInt64

    package init(version: UInt64) { self.version = version }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { version = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(version, forKey: 0) }
}

/// The sets of items of a domain that its provider's own programs can list.
package enum ItemSet: UInt8, Sendable, MessageValue {
    /// The items that are local: files with their contents, and listed directories.
    case materialized = 0
    /// The items with local changes that the provider does not have yet.
    case pending = 1
}

/// A page of a set.
package struct ItemSetPage: Message {
    package var items: [ProviderItem]
    /// The position of the next page; `nil` at the end.
    package var next: Int64?
    /// The last domain version that the provider reported; `nil` if it reported none.
    package var domainVersion: Int64?

    /// The most items of a page.
    package static let most = 500

    package init(items: [ProviderItem], next: Int64?) {
        self.items = items
        self.next = next
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        items = try decoder.decode(forKey: 0)
        next = try decoder.decodeIfPresent(forKey: 1)
        domainVersion = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(items, forKey: 0)
        encoder.encodeIfPresent(next, forKey: 1)
        encoder.encodeIfPresent(domainVersion, forKey: 2)
    }
}

/// A request to the engine to hand an item to its provider as if it had been changed locally.
package struct ManagerModificationCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.modification }
    /// The domain's identifier; `nil` for the domain that no program has added.
    package let domain: String?
    package let item: String
    /// `NSFileProviderItemFields.rawValue`.
    package let fields: UInt64

    package init(domain: String?, item: String, fields: UInt64) {
        self.domain = domain
        self.item = item
        self.fields = fields
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        item = try decoder.decode(forKey: 1)
        fields = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(item, forKey: 1)
        encoder.encode(fields, forKey: 2)
    }
}
