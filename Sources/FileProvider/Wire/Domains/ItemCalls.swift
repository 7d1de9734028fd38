import Conduit

/// An item as a person names it: an absolute path into a mount, or `DOMAIN:path`, which needs none.
package struct ItemPlace: Message, Equatable {
    /// As it was written.
    package let text: String
    /// The absolute path that it is if it is a path, with no symbolic link in its folder.
    package let path: String

    package init(text: String, path: String) {
        self.text = text
        self.path = path
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        text = try decoder.decode(forKey: 0)
        path = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(text, forKey: 0)
        encoder.encode(path, forKey: 1)
    }
}

/// Asks what is in a folder, one part after the other. Answered when the folder was listed that far.
package struct ListFolderCall: Call {
    package static var method: UInt64 { DomainMethod.items }
    package let place: ItemPlace
    /// Where the part before ended; `nil` for the first.
    package let position: Int64?

    package init(place: ItemPlace, position: Int64? = nil) {
        self.place = place
        self.position = position
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        position = try decoder.decodeIfPresent(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        encoder.encodeIfPresent(position, forKey: 1)
    }

    package struct Reply: Message {
        /// The item itself, where it is no folder.
        package let items: [ItemDescription]
        /// Where the next part begins; `nil` at the end.
        package let next: Int64?

        package init(items: [ItemDescription], next: Int64?) {
            self.items = items
            self.next = next
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            items = try decoder.decode(forKey: 0)
            next = try decoder.decodeIfPresent(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(items, forKey: 0)
            encoder.encodeIfPresent(next, forKey: 1)
        }
    }
}

/// Asks about one item.
package struct DescribeItemCall: Call {
    package typealias Reply = ItemDescription
    package static var method: UInt64 { DomainMethod.item }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { place = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(place, forKey: 0) }
}

/// Brings an item's bytes here; a folder's, with everything in it. Reports how far it is; cancelling it gives up.
package struct DownloadItemCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.download }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { place = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(place, forKey: 0) }
}

/// Drops an item's bytes here; those of a folder's items, as far as they can be had again.
package struct EvictItemCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.evict }
    package let place: ItemPlace

    package init(place: ItemPlace) { self.place = place }

    package init(from decoder: inout MessageDecoder) throws(MessageError) { place = try decoder.decode(forKey: 0) }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(place, forKey: 0) }
}

/// Brings an item's bytes here and keeps them, whatever else needs room.
package struct KeepItemCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.keep }
    package let place: ItemPlace
    /// Otherwise it is not kept any more. Its bytes stay until something else needs room.
    package let isWanted: Bool

    package init(place: ItemPlace, isWanted: Bool = true) {
        self.place = place
        self.isWanted = isWanted
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        place = try decoder.decode(forKey: 0)
        isWanted = try decoder.decodeIfPresent(forKey: 1) ?? true
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(place, forKey: 0)
        // Left out where it says nothing new, so that a daemon of the version before does not mind.
        encoder.encodeIfPresent(isWanted ? nil : false, forKey: 1)
    }
}

/// An item with its state on this machine.
package struct ItemDescription: Message, Equatable {
    /// Where its bytes are and what becomes of them; the words of the command line.
    package enum State: UInt8, Sendable, MessageValue {
        case dataless = 0
        case partial = 1
        case current = 2
        case edited = 3
        case uploading = 4
        case error = 5
    }

    package var name: String
    /// What the provider knows it by.
    package var identifier: String
    package var kind: ProviderItem.Kind
    /// The identifier of its type; empty where it has none.
    package var contentType: String
    package var size: Int64?
    /// Seconds since 1970.
    package var modified: Double?
    package var state: State
    /// It is to stay on this machine.
    package var isKept: Bool
    /// Because a folder is that it is in.
    package var isKeptByFolder = false
    /// Of ``State/error``.
    package var fault: ItemFault?
    /// Of a link.
    package var target: String?
    /// Whether the service has what is here.
    package var isUploaded = true
    package var isUploading = false
    /// Of what is being uploaded: bytes that the service has, and in all; 0 where the provider does not say.
    package var sent: Int64 = 0
    package var total: Int64 = 0

    package init(
        name: String, identifier: String, kind: ProviderItem.Kind, contentType: String, size: Int64?,
        modified: Double?, state: State, isKept: Bool, fault: ItemFault?, target: String?
    ) {
        self.name = name
        self.identifier = identifier
        self.kind = kind
        self.contentType = contentType
        self.size = size
        self.modified = modified
        self.state = state
        self.isKept = isKept
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
        isKept = try decoder.decode(forKey: 7)
        fault = try decoder.decodeIfPresent(forKey: 8)
        target = try decoder.decodeIfPresent(forKey: 9)
        isUploaded = try decoder.decode(forKey: 10)
        isUploading = try decoder.decode(forKey: 11)
        sent = try decoder.decode(forKey: 12)
        total = try decoder.decode(forKey: 13)
        isKeptByFolder = try decoder.decode(forKey: 14)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(name, forKey: 0)
        encoder.encode(identifier, forKey: 1)
        encoder.encode(kind.rawValue, forKey: 2)
        encoder.encode(contentType, forKey: 3)
        encoder.encodeIfPresent(size, forKey: 4)
        encoder.encodeIfPresent(modified, forKey: 5)
        encoder.encode(state, forKey: 6)
        encoder.encode(isKept, forKey: 7)
        encoder.encodeIfPresent(fault, forKey: 8)
        encoder.encodeIfPresent(target, forKey: 9)
        encoder.encode(isUploaded, forKey: 10)
        encoder.encode(isUploading, forKey: 11)
        encoder.encode(sent, forKey: 12)
        encoder.encode(total, forKey: 13)
        encoder.encode(isKeptByFolder, forKey: 14)
    }
}
