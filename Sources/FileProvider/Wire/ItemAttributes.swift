import Conduit

/// What is to be changed of what programs give a file beside its bytes and its name; `nil` leaves each.
package struct ItemAttributes: Sendable, Equatable {
    /// Seconds since 1970.
    package var modified: Double?
    /// What its owner may do: ``permissionFlags``. Other flags are left as they are.
    package var permissions: UInt?
    /// Extended attributes that are to be there, by their full names on this machine. Others are left as they are.
    package var changed: [String: [UInt8]] = [:]
    /// Those that are to be there no more.
    package var removed: Set<String> = []

    package init() {}

    /// `NSFileProviderFileSystemFlags.userExecutable`, `.userReadable` and `.userWritable`.
    package static let permissionFlags: UInt = 7

    package var isEmpty: Bool { self == ItemAttributes() }

    /// What the names of all extended attributes begin with that programs can read and set here.
    package static let prefix = "user."

    /// The name here of an extended attribute of the provider's; `nil` where another of its attributes has that.
    package static func localName(of name: String, among given: [String: [UInt8]]) -> String? {
        if name.hasPrefix(prefix) { return name }
        return given[prefix + name] == nil ? prefix + name : nil
    }

    /// The name at the provider of an extended attribute that was set here.
    private static func providerName(of name: String, among given: [String: [UInt8]]) -> String {
        if given[name] != nil { return name }
        let bare = String(name.dropFirst(prefix.count))
        return bare.isEmpty || bare.hasPrefix(prefix) ? name : bare
    }

    /// The provider's extended attributes with these changes; `nil` where nothing changes, and where more come of it than are taken.
    func applied(to item: ProviderItem) -> [String: [UInt8]]? {
        guard !item.flags.contains(.lacksAttributes) else { return nil }
        let given = item.extendedAttributes
        var values = given
        for name in removed { values[Self.providerName(of: name, among: given)] = nil }
        for (name, value) in changed { values[Self.providerName(of: name, among: given)] = value }
        return values == given || ProviderItem.size(of: values) > ProviderItem.mostBytes ? nil : values
    }
}

extension ItemAttributes: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        modified = try decoder.decodeIfPresent(forKey: 0)
        permissions = try decoder.decodeIfPresent(UInt64.self, forKey: 1).map { UInt($0) }
        changed = try decoder.decode([NamedBytes].self, forKey: 2).byName
        removed = Set(try decoder.decode([String].self, forKey: 3))
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(modified, forKey: 0)
        encoder.encodeIfPresent(permissions.map { UInt64($0) }, forKey: 1)
        encoder.encode([NamedBytes](changed), forKey: 2)
        encoder.encode(removed.sorted(), forKey: 3)
    }
}

/// An extended attribute.
struct NamedBytes: Message {
    let name: String
    let value: [UInt8]

    init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        name = try decoder.decode(forKey: 0)
        value = try decoder.decode(ByteString.self, forKey: 1).bytes
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(name, forKey: 0)
        encoder.encode(ByteString(value), forKey: 1)
    }
}

extension [NamedBytes] {
    init(_ values: [String: [UInt8]]) {
        self = values.sorted { $0.key < $1.key }.map { NamedBytes(name: $0.key, value: $0.value) }
    }

    /// Of two of one name, the first counts.
    var byName: [String: [UInt8]] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
