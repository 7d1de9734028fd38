import ItemValues

/// The differences between an item's extended attributes as set locally and those that the provider reports.
///
/// They are stored only in the index, and are lost with it.
package struct LocalAttributes: Sendable, Equatable {
    /// The values that were set locally, by full name.
    private var values: [String: [UInt8]] = [:]
    /// The full names of the provider's attributes that were removed locally.
    private var removed: Set<String> = []

    package init() {}

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// The total size in bytes of all names and values that were set. The size is limited, because the names and values
    /// are read with the item's row.
    private var size: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } }

    /// The maximum of ``size`` in bytes. It is larger than the limit of ext4, which programs expect.
    package static let sizeLimit = 16 << 10

    /// Sets an attribute.
    ///
    /// - Returns: `false` if the attribute would exceed the size limit and was not set.
    mutating func set(_ name: String, to value: [UInt8]) -> Bool {
        var changed = self
        changed.values[name] = value
        changed.removed.remove(name)
        guard changed.size <= Self.sizeLimit else { return false }
        self = changed
        return true
    }

    /// Removes an attribute.
    ///
    /// - Parameters:
    ///   - isGiven: Whether the provider reports the attribute.
    ///   - mayBeSent: Whether the attribute may have been sent to the provider.
    mutating func remove(_ name: String, isGiven: Bool, mayBeSent: Bool) {
        values[name] = nil
        // Limit the size of the recorded names: programs may set and remove any number of attributes before removals
        // are sent.
        let hasRoom = removed.reduce(0) { $0 + $1.utf8.count } <= Self.sizeLimit
        if isGiven || mayBeSent && hasRoom { removed.insert(name) }
    }

    /// Returns the attributes that the provider reports, with the local changes applied.
    func applied(to given: [String: [UInt8]]) -> [String: [UInt8]] {
        isEmpty ? given : given.filter { !removed.contains($0.key) }.merging(values) { $1 }
    }

    /// Returns the changes that must be sent to make the provider's attributes equal to the local ones.
    func changes(of given: [String: [UInt8]]) -> (changed: [String: [UInt8]], removed: Set<String>) {
        (values.filter { given[$0.key] != $0.value }, removed.filter { given[$0] != nil })
    }

    /// Drops the local removals of attributes that the provider no longer reports.
    mutating func settle(given: [String: [UInt8]]) { removed = removed.filter { given[$0] != nil } }

    /// Drops each locally set value that equals the provider's previous value, if the provider has changed that value.
    /// Drops the local removal of each attribute that the provider did not report before and reports now.
    ///
    /// - Parameters:
    ///   - given: The attributes that the provider reports now.
    ///   - before: The attributes that the provider reported before.
    mutating func follow(_ given: [String: [UInt8]], since before: [String: [UInt8]]) {
        guard !isEmpty else { return }
        values = values.filter { before[$0.key] != $0.value || given[$0.key] == $0.value }
        removed = removed.filter { before[$0] != nil || given[$0] == nil }
    }

    // MARK: In a row

    func write(to bytes: inout ByteWriter) {
        bytes.number(UInt64(values.count))
        // Sort the attributes, because rows are compared as bytes.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            bytes.text(name)
            bytes.counted(value)
        }
        bytes.number(UInt64(removed.count))
        for name in removed.sorted() { bytes.text(name) }
    }

    init(_ reader: inout ByteReader) throws(IndexError) {
        for _ in 0..<(try reader.number()) {
            let name = try reader.text()
            values[name] = try reader.array()
        }
        for _ in 0..<(try reader.number()) { removed.insert(try reader.text()) }
    }

    static func skip(_ reader: inout ByteReader) throws(IndexError) {
        for _ in 0..<(try reader.number()) {
            _ = try reader.counted()
            _ = try reader.counted()
        }
        for _ in 0..<(try reader.number()) { _ = try reader.counted() }
    }
}

extension IndexedItem {
    /// The prefix of the names of all extended attributes that programs can read and set.
    package static let attributePrefix = ItemAttributes.prefix

    /// The extended attributes by full name: those of the provider, with the local changes applied.
    package var extendedAttributes: [String: [UInt8]] { attributes.applied(to: item.attributesAsShown) }

    /// Sets an extended attribute locally.
    ///
    /// - Returns: `false` if the attribute would exceed the size limit and was not set.
    package mutating func setAttribute(_ name: String, to value: [UInt8]) -> Bool { attributes.set(name, to: value) }

    /// Removes an extended attribute locally.
    ///
    /// - Parameter mayBeSent: Whether the attribute may have been sent to the provider.
    package mutating func removeAttribute(_ name: String, mayBeSent: Bool) {
        attributes.remove(name, isGiven: item.attributesAsShown[name] != nil, mayBeSent: mayBeSent)
    }
}

extension ProviderItem {
    /// The extended attributes that the provider reports, by their local names.
    var attributesAsShown: [String: [UInt8]] {
        guard !extendedAttributes.isEmpty else { return [:] }
        var here: [String: [UInt8]] = [:]
        for (name, value) in extendedAttributes {
            if let name = ItemAttributes.localName(of: name, among: extendedAttributes) { here[name] = value }
        }
        return here
    }
}
