import Conduit

/// Asks how much of all that is on its way has arrived.
package struct ManagerProgressCall: ProviderCall {
    package typealias Value = TransferTotals
    package typealias Reply = ProviderReply<TransferTotals>
    package static var method: UInt64 { ManagerMethod.progress }
    /// `nil` for the domains that no program has added.
    package let domain: String?
    /// To the service, or from it.
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

/// How much of all that is on its way in one direction has arrived.
package struct TransferTotals: Message, Equatable {
    /// Files of this go, those that have arrived among them; 0 while there is nothing to do.
    package var files: Int64
    package var filesDone: Int64
    /// An empty file counts as one byte.
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

/// Asks for the items of a domain that are on this machine, or that wait to be sent, some at a time.
package struct ManagerSetCall: ProviderCall {
    package typealias Value = ItemSetPage
    package typealias Reply = ProviderReply<ItemSetPage>
    package static var method: UInt64 { ManagerMethod.set }
    /// `nil` for the domain that no program has added.
    package let domain: String?
    package let set: ItemSet
    /// As the answer before it has it; `nil` for the beginning.
    package let position: Int64?
    /// How many items at most.
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

/// Asks for the version of a set: a number that is another one when something in the set has changed, or the daemon is another one.
/// Answered when it is no more the one that is known.
package struct ManagerSetVersionCall: ProviderCall {
    package typealias Value = ItemSetVersion
    package typealias Reply = ProviderReply<ItemSetVersion>
    package static var method: UInt64 { ManagerMethod.setVersion }
    /// `nil` for the domain that no program has added.
    package let domain: String?
    package let set: ItemSet
    /// What is known; `nil` has it answered at once.
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

/// The sets of items of a domain that its provider's own programs list.
package enum ItemSet: UInt8, Sendable, MessageValue {
    /// What is on this machine: files with their contents, folders that are listed.
    case materialized = 0
    /// What was changed here and the provider does not have yet.
    case pending = 1
}

/// Some items of a set.
package struct ItemSetPage: Message {
    package var items: [ProviderItem]
    /// Where it goes on; `nil` at the end.
    package var next: Int64?
    /// The last version of the domain that the provider has told of; `nil` where it has told of none.
    package var domainVersion: Int64?

    /// So many items at most.
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

/// Has the engine hand over an item to its provider as if it had been changed here.
package struct ManagerModificationCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { ManagerMethod.modification }
    /// `nil` for the domain that no program has added.
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
