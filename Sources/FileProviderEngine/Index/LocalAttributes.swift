import FileProvider

/// How an item's extended attributes differ here from the provider's: no provider of this model takes any.
///
/// They are in the index only, and go with it and with the item.
package struct LocalAttributes: Sendable, Equatable {
    /// What was set here, by full names.
    private var values: [String: [UInt8]] = [:]
    /// Which of the provider's were removed here.
    private var removed: Set<String> = []

    package init() {}

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// Bytes of all names and values; bounded, because they are read with the item's row.
    private var size: Int {
        values.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } + removed.reduce(0) { $0 + $1.utf8.count }
    }

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

    /// - Parameter isGiven: whether the provider has it too.
    mutating func remove(_ name: String, isGiven: Bool) {
        values[name] = nil
        if isGiven { removed.insert(name) }
    }

    /// What the provider gave, as it was changed here.
    func applied(to given: [String: [UInt8]]) -> [String: [UInt8]] {
        isEmpty ? given : given.filter { !removed.contains($0.key) }.merging(values) { $1 }
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
    package static let attributePrefix = "user."

    /// The extended attributes by their full names: the provider's, as they were changed here.
    package var extendedAttributes: [String: [UInt8]] { attributes.applied(to: givenAttributes) }

    private var givenAttributes: [String: [UInt8]] {
        guard !item.extendedAttributes.isEmpty else { return [:] }
        var given: [String: [UInt8]] = [:]
        for (name, value) in item.extendedAttributes {
            if name.hasPrefix(Self.attributePrefix) {
                given[name] = value
            } else if item.extendedAttributes[Self.attributePrefix + name] == nil {
                given[Self.attributePrefix + name] = value
            }
        }
        return given
    }

    /// - Returns: whether there is room for it.
    mutating func setAttribute(_ name: String, to value: [UInt8]) -> Bool { attributes.set(name, to: value) }

    mutating func removeAttribute(_ name: String) {
        attributes.remove(name, isGiven: givenAttributes[name] != nil)
    }
}
