/// Changes to an item's attributes, which do not include its contents and name. If a value is `nil`, the attribute does
/// not change.
package struct ItemAttributes: Sendable, Equatable {
    /// The modification date, in seconds since 1970.
    package var modified: Double?
    /// The owner's permissions, as a set of ``permissionFlags``. Other flags of the item do not change.
    package var permissions: UInt?
    /// The extended attributes to set, by their full local names. Other attributes do not change.
    package var changed: [String: [UInt8]] = [:]
    /// The full local names of the extended attributes to remove.
    package var removed: Set<String> = []

    package init() {}

    /// The flags that are permissions: `NSFileProviderFileSystemFlags.userExecutable`, `.userReadable` and
    /// `.userWritable`.
    package static let permissionFlags: UInt = 7

    package var isEmpty: Bool { self == ItemAttributes() }

    /// The prefix of the names of all extended attributes that programs can read and set locally.
    package static let prefix = "user."

    /// Returns the local name of the given extended attribute of the provider; `nil` if another of the given attributes
    /// has that name already.
    package static func localName(of name: String, among given: [String: [UInt8]]) -> String? {
        if name.hasPrefix(prefix) { return name }
        return given[prefix + name] == nil ? prefix + name : nil
    }

    /// Returns the provider's name for the extended attribute with the given local name.
    private static func providerName(of name: String, among given: [String: [UInt8]]) -> String {
        if given[name] != nil { return name }
        let bare = String(name.dropFirst(prefix.count))
        return bare.isEmpty || bare.hasPrefix(prefix) ? name : bare
    }

    /// Returns the extended attributes of the given item after these changes; `nil` if nothing changes, or if the
    /// result exceeds ``ProviderItem/mostBytes``.
    package func applied(to item: ProviderItem) -> [String: [UInt8]]? {
        guard !item.flags.contains(.lacksAttributes) else { return nil }
        let given = item.extendedAttributes
        var values = given
        for name in removed { values[Self.providerName(of: name, among: given)] = nil }
        for (name, value) in changed { values[Self.providerName(of: name, among: given)] = value }
        return values == given || ProviderItem.size(of: values) > ProviderItem.mostBytes ? nil : values
    }
}
