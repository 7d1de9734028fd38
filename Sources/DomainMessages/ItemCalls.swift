import Conduit
import ItemValues

/// The place of an item as the user wrote it: an absolute path into a mount, or `DOMAIN:path`, which needs no mount.
package struct ItemPlace: SchemaMessage, Equatable {
    /// The text as the user wrote it.
    package let text: String
    /// The text as an absolute path. Symbolic links in the directories above the item are resolved. Not meaningful if
    /// the text is `DOMAIN:path`.
    package let path: String

    package init(text: String, path: String) {
        self.text = text
        self.path = path
    }

    package static let schema = Schema(Self.init, Field(0, \.text), Field(1, \.path))
}

/// A request for some of a directory's items, which are returned part by part. The reply comes when the requested part
/// of the directory was listed.
package struct ListFolderCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.items }
    package let place: ItemPlace
    /// The position from the previous reply; `nil` to begin with the first item.
    package let position: Int64?

    package init(place: ItemPlace, position: Int64? = nil) {
        self.place = place
        self.position = position
    }

    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.position))

    package struct Reply: SchemaMessage {
        /// The items of the directory. If the place is not a directory, only the item itself.
        package let items: [ItemDescription]
        /// The position with which to request the next part; `nil` if this part is the last.
        package let next: Int64?

        package init(items: [ItemDescription], next: Int64?) {
            self.items = items
            self.next = next
        }

        package static let schema = Schema(Self.init, Field(0, \.items), Field(1, \.next))
    }
}

/// A request for the properties and the local state of one item.
package struct DescribeItemCall: Call, SchemaMessage {
    package typealias Reply = ItemDescription
    package static var method: UInt64 { DomainMethod.item }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to materialize an item, and, if it is a directory, everything in it. The daemon reports progress.
/// Cancelling the request stops the transfer.
package struct DownloadItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.download }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to evict an item. If it is a directory, all items in it whose contents can be fetched again are evicted.
package struct EvictItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.evict }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package static let schema = Schema(Self.init, Field(0, \.place))
}

/// A request to pin or to unpin an item.
package struct KeepItemCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.keep }
    package let place: ItemPlace
    /// Whether to pin the item. If `false`, the item is unpinned: its contents stay local until their space is needed.
    package let isWanted: Bool

    package init(place: ItemPlace, isWanted: Bool = true) {
        self.place = place
        self.isWanted = isWanted
    }

    // The second field is left out if it has its default value, so that a daemon of the previous version accepts the
    // message.
    package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.isWanted, default: true))
}

/// The properties and the local state of an item.
package struct ItemDescription: SchemaMessage, Equatable {
    /// The state of the item's contents. The command line shows the same states.
    package enum State: UInt8, Sendable, MessageValue {
        case dataless = 0
        case partial = 1
        case current = 2
        case edited = 3
        case uploading = 4
        case error = 5
    }

    package var name: String
    /// The identifier that the provider uses for the item.
    package var identifier: String
    package var kind: ProviderItem.Kind
    /// The type's identifier; empty if the provider reports none.
    package var contentType: String
    package var size: Int64?
    /// The modification date, in seconds since 1970.
    package var modified: Double?
    package var state: State
    /// Whether the item is pinned, by itself or by a directory above it.
    package var isPinned: Bool
    /// Whether a directory above the item is pinned.
    package var isPinnedByFolder = false
    /// The failure to upload the item, if the state is ``State/error``; otherwise `nil`.
    package var fault: ItemFault?
    /// The target of a symbolic link; `nil` for other items.
    package var target: String?
    /// Whether the provider has all local changes of the item.
    package var isUploaded = true
    package var isUploading = false
    /// The progress of the item's upload: the number of bytes that were sent, and the total number of bytes. Both are 0
    /// if the provider does not report them.
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

    package static let schema = Schema(
        {
            (
                names: (String, String, ProviderItem.Kind, String), sizes: (Int64?, Double?), state: State,
                isPinned: Bool, fault: ItemFault?, target: String?, upload: (Bool, Bool, Int64, Int64),
                isPinnedByFolder: Bool
            ) in
            var item = ItemDescription(
                name: names.0, identifier: names.1, kind: names.2, contentType: names.3, size: sizes.0,
                modified: sizes.1, state: state, isPinned: isPinned, fault: fault, target: target)
            (item.isUploaded, item.isUploading, item.sent, item.total) = upload
            item.isPinnedByFolder = isPinnedByFolder
            return item
        },
        group(
            Field(0, \.name), Field(1, \.identifier), Field(2, \.kind), Field(3, \.contentType)),
        group(Field(4, \.size), Field(5, \.modified)), Field(6, \.state), Field(7, \.isPinned), Field(8, \.fault),
        Field(9, \.target),
        group(Field(10, \.isUploaded), Field(11, \.isUploading), Field(12, \.sent), Field(13, \.total)),
        Field(14, \.isPinnedByFolder))
}

/// The reason why an item could not be uploaded.
package struct ItemFault: SchemaMessage, Equatable {
    /// The event after which the upload is retried.
    package enum Kind: UInt8, Sendable, MessageValue {
        /// The upload is retried automatically.
        case transient = 0
        /// The upload is retried after the user has requested it.
        case persistent = 1
        /// The upload is retried after the next sign-in.
        case authentication = 2
    }

    package let kind: Kind
    /// One sentence for the user about the fault.
    package let message: String
    /// The provider's suggestion of a remedy, for the user; `nil` if there is none.
    package let suggestion: String?

    package init(kind: Kind, message: String, suggestion: String?) {
        self.kind = kind
        self.message = message
        self.suggestion = suggestion
    }

    package static let schema = Schema(Self.init, Field(0, \.kind), Field(1, \.message), Field(2, \.suggestion))
}
