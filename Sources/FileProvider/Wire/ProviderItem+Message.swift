import Conduit
import ItemValues

/// The encoding of an item. Extensions are not trusted: a message with an item beyond the limits is rejected as a
/// whole.
extension ProviderItem: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let identifier = try decoder.decode(String.self, forKey: 0)
        let parent = try decoder.decode(String.self, forKey: 1)
        let filename = try decoder.decode(String.self, forKey: 2)
        let rawKind = try decoder.decode(UInt64.self, forKey: 3)
        guard let kind = UInt8(exactly: rawKind).flatMap(Kind.init(rawValue:)) else {
            throw .invalid("an item of the unknown kind \(rawKind)")
        }
        self.init(identifier: identifier, parent: parent, filename: filename, kind: kind)
        contentType = try decoder.decode(String.self, forKey: 4)
        capabilities = UInt(try decoder.decode(UInt64.self, forKey: 5))
        size = try decoder.decodeIfPresent(Int.self, forKey: 6).map { Int64($0) }
        childCount = try decoder.decodeIfPresent(Int.self, forKey: 7)
        created = try Self.date(&decoder, forKey: 8)
        modified = try Self.date(&decoder, forKey: 9)
        lastUsed = try Self.date(&decoder, forKey: 10)
        contentVersion = try decoder.decodeIfPresent(ByteString.self, forKey: 11)?.bytes ?? []
        metadataVersion = try decoder.decodeIfPresent(ByteString.self, forKey: 12)?.bytes ?? []
        favoriteRank = try decoder.decodeIfPresent(UInt64.self, forKey: 13)
        if let tags = try decoder.decodeIfPresent(ByteString.self, forKey: 14) { tagData = tags.bytes }
        flags = Flags(rawValue: UInt16(truncatingIfNeeded: try decoder.decode(UInt64.self, forKey: 15)))
        fileSystemFlags = try decoder.decodeIfPresent(UInt64.self, forKey: 16).map { UInt($0) }
        // Hardly any item has these, and decoding such values is slow, so their keys are looked for first.
        if try decoder.contains(key: 17), let attributes = try decoder.decodeIfPresent([NamedBytes].self, forKey: 17) {
            extendedAttributes = attributes.byName
        }
        if let target = try decoder.decodeIfPresent(String.self, forKey: 18) { linkTarget = target }
        if try decoder.contains(key: 19) {
            uploadingError = try decoder.decodeIfPresent(ProviderError.self, forKey: 19)
        }
        if try decoder.contains(key: 20), let info = try decoder.decodeIfPresent([UserInfoEntry].self, forKey: 20) {
            userInfo = Dictionary(info.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        if let fault { throw .invalid(fault) }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(parent, forKey: 1)
        encoder.encode(filename, forKey: 2)
        encoder.encode(UInt64(kind.rawValue), forKey: 3)
        encoder.encode(contentType, forKey: 4)
        encoder.encode(UInt64(capabilities), forKey: 5)
        if let size { encoder.encode(Int(size), forKey: 6) }
        if let childCount { encoder.encode(childCount, forKey: 7) }
        if let created { encoder.encode(created, forKey: 8) }
        if let modified { encoder.encode(modified, forKey: 9) }
        if let lastUsed { encoder.encode(lastUsed, forKey: 10) }
        Self.encode(contentVersion, forKey: 11, to: &encoder)
        Self.encode(metadataVersion, forKey: 12, to: &encoder)
        if let favoriteRank { encoder.encode(favoriteRank, forKey: 13) }
        if hasMore, let tagData { encoder.encode(ByteString(tagData), forKey: 14) }
        encoder.encode(UInt64(flags.rawValue), forKey: 15)
        if let fileSystemFlags { encoder.encode(UInt64(fileSystemFlags), forKey: 16) }
        guard hasMore else { return }
        if !extendedAttributes.isEmpty { encoder.encode([NamedBytes](extendedAttributes), forKey: 17) }
        if let linkTarget { encoder.encode(linkTarget, forKey: 18) }
        if let uploadingError { encoder.encode(uploadingError, forKey: 19) }
        if !userInfo.isEmpty {
            let entries = userInfo.sorted { $0.key < $1.key }
            encoder.encode(entries.map { UserInfoEntry(name: $0.key, value: $0.value) }, forKey: 20)
        }
    }

    private static func encode(_ bytes: [UInt8], forKey key: UInt64, to encoder: inout MessageEncoder) {
        guard !bytes.isEmpty else { return }
        bytes.withUnsafeBytes { encoder.encode(bytes: $0, forKey: key) }
    }

    /// Decodes a date in seconds since 1970; `nil` if it is out of range.
    private static func date(_ decoder: inout MessageDecoder, forKey key: UInt64) throws(MessageError) -> Double? {
        guard let date = try decoder.decodeIfPresent(Double.self, forKey: key), date.isFinite else { return nil }
        return abs(date) < farthestDate ? date : nil
    }

    /// The bound of dates, about the year 292,000. Microseconds of dates up to here fit into 64 bits.
    private static let farthestDate: Double = 9.2e12

    /// A value of ``userInfo`` with its name.
    struct UserInfoEntry: Message {
        let name: String
        let value: UserInfoValue

        init(name: String, value: UserInfoValue) {
            self.name = name
            self.value = value
        }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            name = try decoder.decode(forKey: 0)
            if let number = try decoder.decodeIfPresent(Double.self, forKey: 1) {
                value = .number(number)
            } else {
                value = .text(try decoder.decode(forKey: 2))
            }
        }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(name, forKey: 0)
            switch value {
            case .number(let number): encoder.encode(number, forKey: 1)
            case .text(let text): encoder.encode(text, forKey: 2)
            }
        }
    }
}
