import ItemValues

/// Encodes an item in a compact form for its row: first the local state, then the provider's report. The item number,
/// the parent and the local changes are separate columns.
///
/// The provider's part begins with the name and the identifier, which lookups compare.
enum PackedItem {
    /// The version of the encoding. A row with another version counts as damaged. An index never has rows of two
    /// versions, because a change of the encoding also changes ``IndexSchema/version``.
    private static let form: UInt8 = 1

    private struct Local: OptionSet {
        let rawValue: UInt64
        static let kept = Local(rawValue: 1 << 4)
        static let contents = Local(rawValue: 1 << 5)
        static let modified = Local(rawValue: 1 << 6)
        static let mode = Local(rawValue: 1 << 7)
        /// The local name is included, because it differs from the provider's name.
        static let name = Local(rawValue: 1 << 8)
        static let attributes = Local(rawValue: 1 << 9)
        static let changed = Local(rawValue: 1 << 10)
        static let keptByFolder = Local(rawValue: 1 << 11)
        static let parts = Local(rawValue: 1 << 12)
    }

    private struct ReportedFields: OptionSet {
        let rawValue: UInt64
        static let size = ReportedFields(rawValue: 1 << 0)
        static let childCount = ReportedFields(rawValue: 1 << 1)
        static let created = ReportedFields(rawValue: 1 << 2)
        static let modified = ReportedFields(rawValue: 1 << 3)
        static let lastUsed = ReportedFields(rawValue: 1 << 4)
        static let favoriteRank = ReportedFields(rawValue: 1 << 5)
        static let tagData = ReportedFields(rawValue: 1 << 6)
        static let fileSystemFlags = ReportedFields(rawValue: 1 << 7)
        static let extendedAttributes = ReportedFields(rawValue: 1 << 8)
        static let linkTarget = ReportedFields(rawValue: 1 << 9)
        static let uploadingError = ReportedFields(rawValue: 1 << 10)
        static let contentType = ReportedFields(rawValue: 1 << 11)
        static let contentVersion = ReportedFields(rawValue: 1 << 12)
        static let metadataVersion = ReportedFields(rawValue: 1 << 13)
        static let collidingItem = ReportedFields(rawValue: 1 << 14)
        static let userInfo = ReportedFields(rawValue: 1 << 15)
    }

    // MARK: Writing

    static func write(_ item: IndexedItem, to bytes: inout ByteWriter) {
        var local = Local(rawValue: UInt64(item.content.rawValue) | UInt64(item.listing.rawValue) << 2)
        if item.isPinned { local.insert(.kept) }
        if item.isPinnedByFolder { local.insert(.keptByFolder) }
        if item.localSize != 0 || !item.localVersion.isEmpty { local.insert(.contents) }
        if item.localModified != nil { local.insert(.modified) }
        if item.mode != nil { local.insert(.mode) }
        if !item.name.hasSameBytes(as: item.item.filename) { local.insert(.name) }
        if !item.attributes.isEmpty { local.insert(.attributes) }
        if item.localChanged != nil { local.insert(.changed) }
        if !item.parts.isEmpty { local.insert(.parts) }
        bytes.byte(form)
        bytes.number(local.rawValue)
        if local.contains(.contents) {
            bytes.signed(item.localSize)
            bytes.counted(item.localVersion)
        }
        if let modified = item.localModified { bytes.double(modified) }
        if let mode = item.mode { bytes.number(UInt64(mode)) }
        if local.contains(.attributes) { item.attributes.write(to: &bytes) }
        if let changed = item.localChanged { bytes.double(changed) }
        if local.contains(.parts) { item.parts.write(to: &bytes) }
        if local.contains(.name) { bytes.text(item.name) }
        write(item.item, to: &bytes)
    }

    /// Encodes an item that is new in the index, with its local name.
    static func write(
        new item: borrowing ProviderItem, named name: String, isPinnedByFolder: Bool, to bytes: inout ByteWriter
    ) {
        var local: Local = []
        let isNamedOtherwise = !name.hasSameBytes(as: item.filename)
        if isNamedOtherwise { local.insert(.name) }
        if isPinnedByFolder { local.insert(.keptByFolder) }
        bytes.byte(form)
        bytes.number(local.rawValue)
        if isNamedOtherwise { bytes.text(name) }
        write(item, to: &bytes)
    }

    /// Encodes the part with the provider's report.
    static func write(_ item: borrowing ProviderItem, to bytes: inout ByteWriter) {
        bytes.text(item.filename)
        bytes.text(item.identifier)
        bytes.text(item.parent)
        var said: ReportedFields = []
        if item.size != nil { said.insert(.size) }
        if item.childCount != nil { said.insert(.childCount) }
        if item.created != nil { said.insert(.created) }
        if item.modified != nil { said.insert(.modified) }
        if item.lastUsed != nil { said.insert(.lastUsed) }
        if item.favoriteRank != nil { said.insert(.favoriteRank) }
        if item.fileSystemFlags != nil { said.insert(.fileSystemFlags) }
        if item.hasMore {
            if item.tagData != nil { said.insert(.tagData) }
            if !item.extendedAttributes.isEmpty { said.insert(.extendedAttributes) }
            if item.linkTarget != nil { said.insert(.linkTarget) }
            if item.uploadFailure != nil { said.insert(.uploadingError) }
            if item.uploadFailure?.collidingItem != nil { said.insert(.collidingItem) }
            if !item.userInfo.isEmpty { said.insert(.userInfo) }
        }
        if !item.contentType.isEmpty { said.insert(.contentType) }
        if !item.contentVersion.isEmpty { said.insert(.contentVersion) }
        if !item.metadataVersion.isEmpty { said.insert(.metadataVersion) }
        bytes.byte(item.kind.rawValue)
        bytes.number(said.rawValue)
        bytes.number(UInt64(item.capabilities))
        bytes.number(UInt64(item.flags.rawValue))
        if let size = item.size { bytes.signed(size) }
        if let childCount = item.childCount { bytes.signed(Int64(childCount)) }
        if let created = item.created { bytes.double(created) }
        if let modified = item.modified { bytes.double(modified) }
        if let lastUsed = item.lastUsed { bytes.double(lastUsed) }
        if said.contains(.contentType) { bytes.text(item.contentType) }
        if said.contains(.contentVersion) { bytes.counted(item.contentVersion) }
        if said.contains(.metadataVersion) { bytes.counted(item.metadataVersion) }
        if let favoriteRank = item.favoriteRank { bytes.number(favoriteRank) }
        if said.contains(.tagData), let tagData = item.tagData { bytes.counted(tagData) }
        if let flags = item.fileSystemFlags { bytes.number(UInt64(flags)) }
        if said.contains(.extendedAttributes) {
            bytes.number(UInt64(item.extendedAttributes.count))
            // Sort the attributes, because rows are compared as bytes.
            for (name, value) in item.extendedAttributes.sorted(by: { $0.key < $1.key }) {
                bytes.text(name)
                bytes.counted(value)
            }
        }
        if said.contains(.linkTarget), let target = item.linkTarget { bytes.text(target) }
        if said.contains(.uploadingError), let error = item.uploadFailure { write(error, to: &bytes) }
        if said.contains(.userInfo) { write(item.userInfo, to: &bytes) }
    }

    private static func write(_ userInfo: [String: ProviderItem.UserInfoValue], to bytes: inout ByteWriter) {
        bytes.number(UInt64(userInfo.count))
        // Sort the entries, because rows are compared as bytes.
        for (name, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            bytes.text(name)
            switch value {
            case .number(let number):
                bytes.byte(0)
                bytes.double(number)
            case .text(let text):
                bytes.byte(1)
                bytes.text(text)
            }
        }
    }

    /// The bit that is set in the byte of a failure's kind if a suggestion follows the failure.
    private static let suggestionBit: UInt8 = 0x80

    static func write(_ failure: ItemFailure, to bytes: inout ByteWriter) {
        bytes.byte(failure.kind & ~suggestionBit | (failure.suggestion == nil ? 0 : suggestionBit))
        bytes.text(failure.domain)
        bytes.signed(Int64(failure.code))
        bytes.text(failure.message)
        if let colliding = failure.collidingItem { bytes.text(colliding) }
        if let suggestion = failure.suggestion { bytes.text(suggestion) }
    }

    // MARK: Reading

    static func read(
        number: ItemNumber, parent: ItemNumber, changes: LocalChanges, _ bytes: UnsafeRawBufferPointer
    ) throws(IndexError) -> IndexedItem {
        var reader = ByteReader(bytes)
        let (local, before) = try readLocal(&reader)
        let item = try readProvider(&reader)
        return IndexedItem(
            number: number, parent: parent, name: before.name ?? item.filename, item: item, changes: changes,
            content: local.content, localSize: before.size, localVersion: before.version,
            localModified: before.modified, localChanged: before.changed, mode: before.mode, listing: local.listing,
            isPinned: local.isPinned, attributes: before.attributes, isPinnedByFolder: local.isPinnedByFolder,
            parts: before.parts)
    }

    /// The beginning of a row, which is all that lookups need.
    struct Key {
        var name: UnsafeRawBufferPointer
        var identifier: UnsafeRawBufferPointer
        var kind: ProviderItem.Kind
        /// The offset in bytes of the provider's part in the row.
        var providerPart: Int
    }

    /// Reads the beginning of a row. The result is valid as long as the bytes are.
    static func key(_ bytes: UnsafeRawBufferPointer) throws(IndexError) -> Key {
        var reader = ByteReader(bytes)
        return try readKey(&reader).key
    }

    /// Returns the modification date in a row, in seconds since 1970: the local one if there is one, else the
    /// provider's; `nil` if neither is known.
    static func modified(_ bytes: UnsafeRawBufferPointer) throws(IndexError) -> Double? {
        var reader = ByteReader(bytes)
        if let modified = try readKey(&reader).localModified { return modified }
        let said = try readMarks(&reader).said
        guard said.contains(.modified) else { return nil }
        if said.contains(.size) { _ = try reader.signed() }
        if said.contains(.childCount) { _ = try reader.signed() }
        if said.contains(.created) { _ = try reader.double() }
        return try reader.double()
    }

    /// Reads a row up to and including the kind.
    private static func readKey(
        _ reader: inout ByteReader
    ) throws(IndexError) -> (key: Key, localModified: Double?) {
        guard try reader.byte() == form else { throw ByteReader.damage }
        let local = Local(rawValue: try reader.number())
        if local.contains(.contents) {
            _ = try reader.number()
            _ = try reader.counted()
        }
        let modified = local.contains(.modified) ? try reader.double() : nil
        if local.contains(.mode) { _ = try reader.number() }
        if local.contains(.attributes) { try LocalAttributes.skip(&reader) }
        if local.contains(.changed) { _ = try reader.double() }
        if local.contains(.parts) { try ByteRanges.skip(&reader) }
        let name = local.contains(.name) ? try reader.counted() : nil
        let start = reader.position
        let filename = try reader.counted()
        let identifier = try reader.counted()
        _ = try reader.counted()
        guard let kind = ProviderItem.Kind(rawValue: try reader.byte()) else { throw ByteReader.damage }
        return (Key(name: name ?? filename, identifier: identifier, kind: kind, providerPart: start), modified)
    }

    /// Whether the row records that at least some of the file's contents are local.
    static func hasContents(_ bytes: UnsafeRawBufferPointer) throws(IndexError) -> Bool {
        var reader = ByteReader(bytes)
        guard try reader.byte() == form else { throw ByteReader.damage }
        return try reader.number() & 3 != 0
    }

    private struct Before {
        var size: Int64 = 0
        var version: [UInt8] = []
        var modified: Double?
        var mode: UInt16?
        var attributes = LocalAttributes()
        var changed: Double?
        var parts = ByteRanges()
        var name: String?
    }

    private struct States {
        var content: ContentState
        var listing: ListingState
        var isPinned: Bool
        var isPinnedByFolder: Bool
    }

    private static func readLocal(_ reader: inout ByteReader) throws(IndexError) -> (States, Before) {
        guard try reader.byte() == form else { throw ByteReader.damage }
        let local = Local(rawValue: try reader.number())
        guard let content = ContentState(rawValue: UInt8(local.rawValue & 3)),
            let listing = ListingState(rawValue: UInt8(local.rawValue >> 2 & 3))
        else { throw ByteReader.damage }
        var before = Before()
        if local.contains(.contents) {
            before.size = try reader.signed()
            before.version = try reader.array()
        }
        if local.contains(.modified) { before.modified = try reader.double() }
        if local.contains(.mode) { before.mode = UInt16(truncatingIfNeeded: try reader.number()) }
        if local.contains(.attributes) { before.attributes = try LocalAttributes(&reader) }
        if local.contains(.changed) { before.changed = try reader.double() }
        if local.contains(.parts) { before.parts = try ByteRanges(&reader) }
        if local.contains(.name) { before.name = try reader.text() }
        let states = States(
            content: content, listing: listing, isPinned: local.contains(.kept),
            isPinnedByFolder: local.contains(.keptByFolder))
        return (states, before)
    }

    /// Reads the three fields that follow the kind.
    private static func readMarks(
        _ reader: inout ByteReader
    ) throws(IndexError) -> (said: ReportedFields, capabilities: UInt, flags: ProviderItem.Flags) {
        let said = ReportedFields(rawValue: try reader.number())
        let capabilities = UInt(truncatingIfNeeded: try reader.number())
        return (said, capabilities, ProviderItem.Flags(rawValue: UInt16(truncatingIfNeeded: try reader.number())))
    }

    static func readProvider(_ reader: inout ByteReader) throws(IndexError) -> ProviderItem {
        let filename = try reader.text()
        let identifier = try reader.text()
        let parent = try reader.text()
        guard let kind = ProviderItem.Kind(rawValue: try reader.byte()) else { throw ByteReader.damage }
        var item = ProviderItem(identifier: identifier, parent: parent, filename: filename, kind: kind)
        let said: ReportedFields
        (said, item.capabilities, item.flags) = try readMarks(&reader)
        if said.contains(.size) { item.size = try reader.signed() }
        if said.contains(.childCount) { item.childCount = Int(truncatingIfNeeded: try reader.signed()) }
        if said.contains(.created) { item.created = try reader.double() }
        if said.contains(.modified) { item.modified = try reader.double() }
        if said.contains(.lastUsed) { item.lastUsed = try reader.double() }
        if said.contains(.contentType) { item.contentType = try reader.text() }
        if said.contains(.contentVersion) { item.contentVersion = try reader.array() }
        if said.contains(.metadataVersion) { item.metadataVersion = try reader.array() }
        if said.contains(.favoriteRank) { item.favoriteRank = try reader.number() }
        if said.contains(.tagData) { item.tagData = try reader.array() }
        if said.contains(.fileSystemFlags) { item.fileSystemFlags = UInt(truncatingIfNeeded: try reader.number()) }
        if said.contains(.extendedAttributes) {
            var attributes: [String: [UInt8]] = [:]
            for _ in 0..<(try reader.number()) {
                let name = try reader.text()
                attributes[name] = try reader.array()
            }
            item.extendedAttributes = attributes
        }
        if said.contains(.linkTarget) { item.linkTarget = try reader.text() }
        if said.contains(.uploadingError) {
            item.uploadFailure = try readFailure(&reader, hasCollidingItem: said.contains(.collidingItem))
        }
        if said.contains(.userInfo) {
            var userInfo: [String: ProviderItem.UserInfoValue] = [:]
            for _ in 0..<(try reader.number()) {
                let name = try reader.text()
                userInfo[name] = try reader.byte() == 0 ? .number(try reader.double()) : .text(try reader.text())
            }
            item.userInfo = userInfo
        }
        return item
    }

    static func readFailure(
        _ reader: inout ByteReader, hasCollidingItem: Bool
    ) throws(IndexError) -> ItemFailure {
        let byte = try reader.byte()
        let domain = try reader.text()
        let code = Int(truncatingIfNeeded: try reader.signed())
        let message = try reader.text()
        return ItemFailure(
            kind: byte & ~suggestionBit, domain: domain, code: code, message: message,
            collidingItem: hasCollidingItem ? try reader.text() : nil,
            suggestion: byte & suggestionBit == 0 ? nil : try reader.text())
    }
}
