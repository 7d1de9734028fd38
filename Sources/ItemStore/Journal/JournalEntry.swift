import ItemValues

/// The unconfirmed local changes of one item: the difference between the local item and the one at the provider,
/// without the steps that led to it. If the index is lost, the item's row can be restored from this entry.
package struct JournalEntry: Sendable, Equatable {
    package var number: ItemNumber
    /// The item's identifier at the provider. It begins with ``IndexedItem/localPrefix`` if the provider has not
    /// assigned one yet.
    package var identifier: String {
        didSet { if !identifier.hasSameBytes(as: oldValue) { (lostIdentifier, place) = (nil, nil) } }
    }
    package var parent: ItemNumber
    package var parentIdentifier: String
    /// The local name.
    package var name: String
    /// The item's place at the provider, if it differs from the local place; otherwise `nil`. If the index is lost, no
    /// other record has this place. No other item may get the place before this item has left it.
    package var place: SentLocation?
    package var kind: ProviderItem.Kind
    package var changes: LocalChanges
    /// The version of the contents that the edit is based on; empty if the item has no version.
    package var baseVersion: [UInt8] = []
    /// The local modification date, in seconds since 1970.
    package var modified: Double = 0
    /// The locally set mode; `nil` if none was set.
    package var mode: UInt16?
    package var linkTarget: String?
    /// The item that this one replaced by a rename; `nil` if there is none. This item then has the place and identifier
    /// of the replaced one.
    package var replaced: ItemNumber?
    /// The item's identifier, if the provider now uses it for another item; otherwise `nil`.
    package var lostIdentifier: String?
    /// The place to which the item was sent as a new item, until the outcome is known; otherwise `nil`.
    package var sent: SentLocation?
    /// Whether the provider was asked to move the item, and has not replied.
    package var mayHaveMoved = false
    /// The place to which the provider was asked to move the item; `nil` if no reply is awaited. The item may have a
    /// new identifier in that place.
    package var movedTo: SentLocation?
    /// Whether the file was opened for writing and was not yet compared with its earlier state.
    package var isOpen = false
    /// The status of the file when it was opened for writing; `nil` if it was not opened for writing, or if it counts
    /// as modified.
    package var statusAtOpen: Fingerprint?
    /// The number of times that the change was parked because of a failure.
    package var attempts = 0
    package var recordedFailure: ItemFailure?
    /// Whether the item is removed at the provider by moving it to the trash.
    package var goesToTrash = false
    /// Whether the provider may already have the item, although the entry is about its creation. This is so while the
    /// item is imported again (``Reimports``).
    package var mayAlreadyExist = false

    /// The parts of a file's status that show whether it was written to.
    package struct Fingerprint: Sendable, Equatable {
        package var size: Int64
        package var modifiedNanoseconds: Int64
        package var changedNanoseconds: Int64

        package init(size: Int64, modifiedNanoseconds: Int64, changedNanoseconds: Int64) {
            self.size = size
            self.modifiedNanoseconds = modifiedNanoseconds
            self.changedNanoseconds = changedNanoseconds
        }
    }

    package init(
        number: ItemNumber, identifier: String, parent: ItemNumber, parentIdentifier: String, name: String,
        kind: ProviderItem.Kind, changes: LocalChanges
    ) {
        self.number = number
        self.identifier = identifier
        self.parent = parent
        self.parentIdentifier = parentIdentifier
        self.name = name
        self.kind = kind
        self.changes = changes
    }

    /// Creates the entry for the given row of the index.
    package init(_ item: IndexedItem, parentIdentifier: String) {
        self.init(
            number: item.number, identifier: item.item.identifier, parent: item.parent,
            parentIdentifier: parentIdentifier, name: item.name, kind: item.item.kind, changes: item.changes)
        baseVersion = item.localVersion
        modified = item.localModified ?? item.item.modified ?? 0
        mode = item.mode
        linkTarget = item.item.linkTarget
        if item.isKnownToProvider { setPlace(of: item.item) }
    }

    /// Records the place that the provider has the item in.
    package mutating func setPlace(of item: ProviderItem) {
        let place = SentLocation(parent: item.parent, name: item.filename)
        self.place = place == SentLocation(parent: parentIdentifier, name: name) ? nil : place
    }
}

extension JournalEntry {
    private struct Parts: OptionSet {
        let rawValue: UInt64
        static let mode = Parts(rawValue: 1)
        static let linkTarget = Parts(rawValue: 2)
        static let isOpen = Parts(rawValue: 4)
        static let statusAtOpen = Parts(rawValue: 8)
        static let failure = Parts(rawValue: 16)
        static let collidingItem = Parts(rawValue: 32)
        static let replaced = Parts(rawValue: 64)
        static let sent = Parts(rawValue: 128)
        static let goesToTrash = Parts(rawValue: 256)
        static let mayHaveMoved = Parts(rawValue: 512)
        static let movedTo = Parts(rawValue: 1024)
        static let lostIdentifier = Parts(rawValue: 2048)
        static let mayAlreadyExist = Parts(rawValue: 4096)
        static let place = Parts(rawValue: 8192)
    }

    /// Appends the values that have no column of their own. New versions of this program add their values at the end,
    /// so an entry of an older version is only shorter.
    func write(to bytes: inout ByteWriter) {
        var parts: Parts = []
        if mode != nil { parts.insert(.mode) }
        if linkTarget != nil { parts.insert(.linkTarget) }
        if isOpen { parts.insert(.isOpen) }
        if statusAtOpen != nil { parts.insert(.statusAtOpen) }
        if recordedFailure != nil { parts.insert(.failure) }
        if recordedFailure?.collidingItem != nil { parts.insert(.collidingItem) }
        if goesToTrash { parts.insert(.goesToTrash) }
        if replaced != nil { parts.insert(.replaced) }
        if sent != nil { parts.insert(.sent) }
        if mayHaveMoved { parts.insert(.mayHaveMoved) }
        if movedTo != nil { parts.insert(.movedTo) }
        if lostIdentifier != nil { parts.insert(.lostIdentifier) }
        if mayAlreadyExist { parts.insert(.mayAlreadyExist) }
        if place != nil { parts.insert(.place) }
        bytes.number(parts.rawValue)
        bytes.text(identifier)
        bytes.text(parentIdentifier)
        bytes.text(name)
        bytes.byte(kind.rawValue)
        bytes.counted(baseVersion)
        bytes.double(modified)
        bytes.signed(Int64(attempts))
        if let mode { bytes.number(UInt64(mode)) }
        if let linkTarget { bytes.text(linkTarget) }
        if let statusAtOpen {
            bytes.signed(statusAtOpen.size)
            bytes.signed(statusAtOpen.modifiedNanoseconds)
            bytes.signed(statusAtOpen.changedNanoseconds)
        }
        if let recordedFailure { PackedItem.write(recordedFailure, to: &bytes) }
        if let replaced { bytes.signed(replaced.rawValue) }
        if let sent {
            bytes.text(sent.parent)
            bytes.text(sent.name)
        }
        if let movedTo {
            bytes.text(movedTo.parent)
            bytes.text(movedTo.name)
        }
        if let lostIdentifier { bytes.text(lostIdentifier) }
        if let place {
            bytes.text(place.parent)
            bytes.text(place.name)
        }
    }

    static func read(
        number: ItemNumber, parent: ItemNumber, changes: LocalChanges, _ bytes: UnsafeRawBufferPointer
    ) throws(IndexError) -> JournalEntry {
        var reader = ByteReader(bytes)
        let parts = Parts(rawValue: try reader.number())
        let identifier = try reader.text()
        let parentIdentifier = try reader.text()
        let name = try reader.text()
        guard let kind = ProviderItem.Kind(rawValue: try reader.byte()) else { throw ByteReader.damage }
        var entry = JournalEntry(
            number: number, identifier: identifier, parent: parent, parentIdentifier: parentIdentifier, name: name,
            kind: kind, changes: changes)
        entry.baseVersion = try reader.array()
        entry.modified = try reader.double()
        entry.attempts = Int(truncatingIfNeeded: try reader.signed())
        entry.isOpen = parts.contains(.isOpen)
        entry.goesToTrash = parts.contains(.goesToTrash)
        entry.mayHaveMoved = parts.contains(.mayHaveMoved)
        entry.mayAlreadyExist = parts.contains(.mayAlreadyExist)
        if parts.contains(.mode) { entry.mode = UInt16(truncatingIfNeeded: try reader.number()) }
        if parts.contains(.linkTarget) { entry.linkTarget = try reader.text() }
        if parts.contains(.statusAtOpen) {
            entry.statusAtOpen = Fingerprint(
                size: try reader.signed(), modifiedNanoseconds: try reader.signed(),
                changedNanoseconds: try reader.signed())
        }
        if parts.contains(.failure) {
            entry.recordedFailure = try PackedItem.readFailure(
                &reader, hasCollidingItem: parts.contains(.collidingItem))
        }
        if parts.contains(.replaced) { entry.replaced = ItemNumber(rawValue: try reader.signed()) }
        if parts.contains(.sent) { entry.sent = SentLocation(parent: try reader.text(), name: try reader.text()) }
        if parts.contains(.movedTo) { entry.movedTo = SentLocation(parent: try reader.text(), name: try reader.text()) }
        if parts.contains(.lostIdentifier) { entry.lostIdentifier = try reader.text() }
        if parts.contains(.place) { entry.place = SentLocation(parent: try reader.text(), name: try reader.text()) }
        return entry
    }
}

/// A place at the provider that an item has, or to which the engine sent an item. If the reply is lost, the item may be
/// renamed locally before it is sent again. The engine then looks for the item in this place, so that the item is not
/// created twice.
package struct SentLocation: Hashable, Sendable {
    /// The identifier of the directory.
    package var parent: String
    package var name: String

    package init(parent: String, name: String) {
        self.parent = parent
        self.name = name
    }

    package static func == (one: SentLocation, other: SentLocation) -> Bool {
        one.parent.hasSameBytes(as: other.parent) && one.name.hasSameBytes(as: other.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(parent))
        hasher.combine(ExactText(name))
    }
}
