/// Changes to a file's attributes, other than contents and name. A `nil` value does not change the attribute.
package struct ItemAttributes: Sendable, Equatable {
    /// The modification date, in seconds since 1970.
    package var modified: Double?
    /// The owner's permissions, a set of ``permissionFlags``. Other flags are not changed.
    package var permissions: UInt?
    /// Extended attributes to set, by their full local names. Other attributes are not changed.
    package var changed: [String: [UInt8]] = [:]
    /// Extended attributes to remove.
    package var removed: Set<String> = []

    package init() {}

    /// The flags of permissions: `NSFileProviderFileSystemFlags.userExecutable`, `.userReadable` and `.userWritable`.
    package static let permissionFlags: UInt = 7

    package var isEmpty: Bool { self == ItemAttributes() }

    /// The prefix of all extended attributes that programs can read and set locally.
    package static let prefix = "user."

    /// Returns the local name of a provider's extended attribute; `nil` if another attribute of the provider has that
    /// name.
    package static func localName(of name: String, among given: [String: [UInt8]]) -> String? {
        if name.hasPrefix(prefix) { return name }
        return given[prefix + name] == nil ? prefix + name : nil
    }

    /// Returns the provider's name for an extended attribute that was set locally.
    private static func providerName(of name: String, among given: [String: [UInt8]]) -> String {
        if given[name] != nil { return name }
        let bare = String(name.dropFirst(prefix.count))
        return bare.isEmpty || bare.hasPrefix(prefix) ? name : bare
    }

    /// Returns the provider's extended attributes after these changes. Returns `nil` if nothing changes, or if the
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
