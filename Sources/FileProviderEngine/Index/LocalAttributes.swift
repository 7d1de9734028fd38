import FileProvider

/// How an item's extended attributes differ here from the provider's.
///
/// They are in the index only, and go with it and with the item.
package struct LocalAttributes: Sendable, Equatable {
    /// What was set here, by full names.
    private var values: [String: [UInt8]] = [:]
    /// Which of the provider's were removed here.
    private var removed: Set<String> = []

    package init() {}

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// Bytes of all names and values that were set; bounded, because they are read with the item's row.
    private var size: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } }

    /// More than ext4 has room for, which is what programs are used to.
    package static let sizeLimit = 16 << 10

    /// - Returns: whether there is room for it.
    mutating func set(_ name: String, to value: [UInt8]) -> Bool {
        var changed = self
        changed.values[name] = value
        changed.removed.remove(name)
        guard changed.size <= Self.sizeLimit else { return false }
        self = changed
        return true
    }

    /// - Parameters:
    ///   - isGiven: whether the provider says that it has it too.
    ///   - mayBeSent: whether the provider may have been sent it.
    mutating func remove(_ name: String, isGiven: Bool, mayBeSent: Bool) {
        values[name] = nil
        // Names that come and go while nothing can be sent are not remembered for ever, and take no room from others.
        let hasRoom = removed.reduce(0) { $0 + $1.utf8.count } <= Self.sizeLimit
        if isGiven || mayBeSent && hasRoom { removed.insert(name) }
    }

    /// What the provider gave, as it was changed here.
    func applied(to given: [String: [UInt8]]) -> [String: [UInt8]] {
        isEmpty ? given : given.filter { !removed.contains($0.key) }.merging(values) { $1 }
    }

    /// What is to be changed at the provider, so that it has what is here.
    func changes(of given: [String: [UInt8]]) -> (changed: [String: [UInt8]], removed: Set<String>) {
        (values.filter { given[$0.key] != $0.value }, removed.filter { given[$0] != nil })
    }

    /// The provider has what was set here: what is not there, need not be known to be removed.
    mutating func settle(given: [String: [UInt8]]) { removed = removed.filter { given[$0] != nil } }

    /// Lets go of what the provider had as it was set here, and has otherwise now.
    mutating func follow(_ given: [String: [UInt8]], since before: [String: [UInt8]]) {
        guard !isEmpty else { return }
        values = values.filter { before[$0.key] != $0.value || given[$0.key] == $0.value }
        removed = removed.filter { before[$0] != nil || given[$0] == nil }
    }

    // MARK: In a row

    func write(to bytes: inout ByteWriter) {
        bytes.number(UInt64(values.count))
        // In one order, because rows are compared as bytes.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            bytes.text(name)
            bytes.counted(value)
        }
        bytes.number(UInt64(removed.count))
        for name in removed.sorted() { bytes.text(name) }
    }

    init(_ reader: inout ByteReader) throws(IndexFailure) {
        for _ in 0..<(try reader.number()) {
            let name = try reader.text()
            values[name] = try reader.array()
        }
        for _ in 0..<(try reader.number()) { removed.insert(try reader.text()) }
    }

    static func skip(_ reader: inout ByteReader) throws(IndexFailure) {
        for _ in 0..<(try reader.number()) {
            _ = try reader.counted()
            _ = try reader.counted()
        }
        for _ in 0..<(try reader.number()) { _ = try reader.counted() }
    }
}

extension IndexedItem {
    /// What the names of all extended attributes begin with that programs can read and set.
    package static let attributePrefix = ItemAttributes.prefix

    /// The extended attributes by their full names: the provider's, as they were changed here.
    package var extendedAttributes: [String: [UInt8]] { attributes.applied(to: item.attributesHere) }

    /// - Returns: whether there is room for it.
    mutating func setAttribute(_ name: String, to value: [UInt8]) -> Bool { attributes.set(name, to: value) }

    /// - Parameter mayBeSent: whether the provider may have been sent it.
    mutating func removeAttribute(_ name: String, mayBeSent: Bool) {
        attributes.remove(name, isGiven: item.attributesHere[name] != nil, mayBeSent: mayBeSent)
    }
}

extension ProviderItem {
    /// The provider's extended attributes by the names that they have here.
    var attributesHere: [String: [UInt8]] {
        guard !extendedAttributes.isEmpty else { return [:] }
        var here: [String: [UInt8]] = [:]
        for (name, value) in extendedAttributes {
            if let name = ItemAttributes.localName(of: name, among: extendedAttributes) { here[name] = value }
        }
        return here
    }
}
