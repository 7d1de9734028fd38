import Conduit
import ItemValues

/// An item as the user names it: an absolute path into a mount, or `DOMAIN:path`, which needs no mount.
package struct ItemPlace: SchemaMessage, Equatable {
    /// The text as the user wrote it.
    package let text: String
    /// The text as an absolute path, in which symbolic links in parent directories are resolved. Not meaningful if the
    /// text is not a path.
    package let path: String

    package init(text: String, path: String) {
        self.text = text
        self.path = path
    }

    package static let schema = Schema(Self.init, Field(0, \.text), Field(1, \.path))
}

/// A request for a part of a directory's items. The reply comes when the directory is listed that far.
package struct ListFolderCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.items }
    package let place: ItemPlace
    /// The position from the previous reply; `nil` for the first part.
    package let position: Int64?

    package init(place: ItemPlace, position: Int64? = nil) {
        self.place = place
        self.position = position
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.position))

    package struct Reply: SchemaMessage {
        /// The items of the directory; the item itself if it is not a directory.
        package let items: [ItemDescription]
        /// The position of the next part; `nil` after the last part.
        package let next: Int64?

        package init(items: [ItemDescription], next: Int64?) {
            self.items = items
            self.next = next
        }

        package static let schema = Schema(Self.init, Field(0, \.items), Field(1, \.next))
    }
}

/// A request to describe one item.
package struct DescribeItemCall: Call, SchemaMessage {
    package typealias Reply = ItemDescription
    package static var method: UInt64 { DomainMethod.item }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to materialize an item; a directory with everything in it. It reports progress. Cancelling it stops the
/// transfer.
package struct DownloadItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.download }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to evict an item; in a directory, all items whose contents can be fetched again.
package struct EvictItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.evict }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to pin an item, or to unpin it.
package struct KeepItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.keep }
    package let place: ItemPlace
    /// Whether to pin the item. An item that is unpinned stays local until its space is needed.
    package let isWanted: Bool

    package init(place: ItemPlace, isWanted: Bool = true) {
        self.place = place
        self.isWanted = isWanted
    }

    // The second field is absent by default, so that a daemon of the previous version accepts the message.
    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.isWanted, default: true))
}

/// An item with its local state.
package struct ItemDescription: Message, Equatable {
    /// The state of the contents, in the words of the command line.
    package enum State: UInt8, Sendable, MessageValue {
        case dataless = 0
        case partial = 1
        case current = 2
        case edited = 3
        case uploading = 4
        case error = 5
    }

    package var name: String
    /// The provider's identifier of the item.
    package var identifier: String
    package var kind: ProviderItem.Kind
    /// The type's identifier; empty if the provider gives none.
    package var contentType: String
    package var size: Int64?
    /// The modification date, in seconds since 1970.
    package var modified: Double?
    package var state: State
    /// Whether the item is pinned.
    package var isPinned: Bool
    /// Whether a parent directory is pinned, and not the item itself.
    package var isPinnedByFolder = false
    /// The fault, if the state is ``State/error``.
    package var fault: ItemFault?
    /// The target of a symbolic link.
    package var target: String?
    /// Whether the provider has the local contents.
    package var isUploaded = true
    package var isUploading = false
    /// The progress of an upload: the number of bytes that are sent, and the total number. 0 if the provider does not
    /// report the number.
    package var sent: Int64 = 0
    package var total: Int64 = 0

    package init(
        name: String, identifier: String, kind: ProviderItem.Kind, contentType: String, size: Int64?,
        modified: Double?, state: State, isPinned: Bool, fault: ItemFault?, target: String?
    ) {
        self.name = name
        self.identifier = identifier
        self.kind = kind
        self.contentType = contentType
        self.size = size
        self.modified = modified
        self.state = state
        self.isPinned = isPinned
        self.fault = fault
        self.target = target
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        name = try decoder.decode(forKey: 0)
        identifier = try decoder.decode(forKey: 1)
        let number: UInt8 = try decoder.decode(forKey: 2)
        guard let kind = ProviderItem.Kind(rawValue: number) else { throw .invalid("unknown kind: \(number)") }
        self.kind = kind
        contentType = try decoder.decode(forKey: 3)
        size = try decoder.decodeIfPresent(forKey: 4)
        modified = try decoder.decodeIfPresent(forKey: 5)
        state = try decoder.decode(forKey: 6)
        isPinned = try decoder.decode(forKey: 7)
        fault = try decoder.decodeIfPresent(forKey: 8)
        target = try decoder.decodeIfPresent(forKey: 9)
        isUploaded = try decoder.decode(forKey: 10)
        isUploading = try decoder.decode(forKey: 11)
        sent = try decoder.decode(forKey: 12)
        total = try decoder.decode(forKey: 13)
        isPinnedByFolder = try decoder.decode(forKey: 14)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(name, forKey: 0)
        encoder.encode(identifier, forKey: 1)
        encoder.encode(kind.rawValue, forKey: 2)
        encoder.encode(contentType, forKey: 3)
        encoder.encodeIfPresent(size, forKey: 4)
        encoder.encodeIfPresent(modified, forKey: 5)
        encoder.encode(state, forKey: 6)
        encoder.encode(isPinned, forKey: 7)
        encoder.encodeIfPresent(fault, forKey: 8)
        encoder.encodeIfPresent(target, forKey: 9)
        encoder.encode(isUploaded, forKey: 10)
        encoder.encode(isUploading, forKey: 11)
        encoder.encode(sent, forKey: 12)
        encoder.encode(total, forKey: 13)
        encoder.encode(isPinnedByFolder, forKey: 14)
    }
}
