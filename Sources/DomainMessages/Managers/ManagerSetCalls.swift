import Conduit
import FileProviderWire
import ItemValues

/// A request for the total progress of all uploads, or of all downloads.
package struct ManagerProgressCall: ProviderCall, SchemaMessage {
    package typealias Value = TransferTotals
    package typealias Reply = ProviderReply<TransferTotals>
    package static var method: UInt64 { ManagerMethod.progress }
    /// The identifier of the domain; `nil` for those domains of the provider that the user, not a program, added.
    package let domain: String?
    /// Whether to report uploads. If `false`, downloads are reported.
    package let isUpload: Bool

    package init(domain: String?, isUpload: Bool) {
        self.domain = domain
        self.isUpload = isUpload
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.isUpload))
}

/// The total progress of all uploads, or of all downloads.
package struct TransferTotals: SchemaMessage, Equatable {
    /// The number of files in the present run of transfers, including finished and waiting ones. A run ends when no
    /// transfer is left. Between two runs, the number is 0.
    package var files: Int64
    package var filesDone: Int64
    /// The number of bytes of the files in the present run. An empty file counts as one byte.
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

    package static let schema = Schema(
        Self.init, Field(0, \.files), Field(1, \.filesDone), Field(2, \.bytes), Field(3, \.bytesDone))
}

/// A request for one page of a domain's item set: the materialized items, or the items with pending changes.
package struct ManagerSetCall: ProviderCall, SchemaMessage {
    package typealias Value = ItemSetPage
    package typealias Reply = ProviderReply<ItemSetPage>
    package static var method: UInt64 { ManagerMethod.set }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    package let set: ItemSet
    /// The position from the previous reply; `nil` for the first page.
    package let position: Int64?
    /// The maximum number of items in the reply.
    package let limit: Int

    package init(domain: String?, set: ItemSet, position: Int64?, limit: Int) {
        self.domain = domain
        self.set = set
        self.position = position
        self.limit = limit
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.set), Field(2, \.position), Field(3, \.limit))
}

/// A request for the version of an item set. The version changes with each change of the set and with each start of the
/// daemon. The reply comes when the version differs from ``known``.
package struct ManagerSetVersionCall: ProviderCall, SchemaMessage {
    package typealias Value = ItemSetVersion
    package typealias Reply = ProviderReply<ItemSetVersion>
    package static var method: UInt64 { ManagerMethod.setVersion }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    package let set: ItemSet
    /// The version that the client knows; `nil` for a reply at once.
    package let known: UInt64?

    package init(domain: String?, set: ItemSet, known: UInt64?) {
        self.domain = domain
        self.set = set
        self.known = known
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.set), Field(2, \.known))
}

/// The version of an item set, which changes with each change of the set.
package struct ItemSetVersion: SchemaMessage, Equatable {
    package let version: UInt64

    package init(version: UInt64) { self.version = version }

    package static let schema = Schema(Self.init, Field(0, \.version))
}

extension ItemSet: MessageValue {}

/// One page of an item set.
package struct ItemSetPage: SchemaMessage {
    package var items: [ProviderItem]
    /// The position with which to request the next page; `nil` if this page is the last.
    package var next: Int64?
    /// The last domain version that the provider reported; `nil` if it reported none.
    package var domainVersion: Int64?

    /// The maximum number of items in one page.
    package static let most = 500

    package init(items: [ProviderItem], next: Int64?, domainVersion: Int64? = nil) {
        self.items = items
        self.next = next
        self.domainVersion = domainVersion
    }

    package static let schema = Schema(Self.init, Field(0, \.items), Field(1, \.next), Field(2, \.domainVersion))
}

/// A request to send an item to the provider as if it had been changed locally.
package struct ManagerModificationCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.modification }
    /// The identifier of the domain; `nil` for the domain of the provider that the user, not a program, added.
    package let domain: String?
    package let item: String
    /// The fields of the item to send, as the raw value of `NSFileProviderItemFields`.
    package let fields: UInt64

    package init(domain: String?, item: String, fields: UInt64) {
        self.domain = domain
        self.item = item
        self.fields = fields
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.item), Field(2, \.fields))
}
