import Conduit
import ItemValues

/// Encodes and decodes items. Extensions are not trusted: if one item in a message exceeds a limit, the whole message
/// is rejected.
extension ProviderItem: SchemaMessage {
    @usableFromInline package static let schema = Schema(
        Self.make,
        group(Field(0, \.identifier), Field(1, \.parent), Field(2, \.filename), Field(3, \.kind)),
        Field(4, \.contentType), Field(5, { UInt64($0.capabilities) }), group(Field(6, \.size), Field(7, \.childCount)),
        group(Field(8, \.created), Field(9, \.modified), Field(10, \.lastUsed)),
        group(Field(11, bytes: \.contentVersion.unlessEmpty), Field(12, bytes: \.metadataVersion.unlessEmpty)),
        group(Field(13, \.favoriteRank), Field(14, bytes: { $0.hasMore ? $0.tagData : nil })),
        group(Field(15, { UInt64($0.flags.rawValue) }), Field(16, { $0.fileSystemFlags.map { UInt64($0) } })),
        group(
            Field(17, unlessEmpty: { $0.hasMore ? [NamedBytes]($0.extendedAttributes) : [] }), Field(18, \.linkTarget),
            Field(19, \.uploadingError),
            Field(20, unlessEmpty: { $0.hasMore ? [UserInfoEntry]($0.userInfo) : [] })))

    private static func make(
        place: (String, String, String, Kind), contentType: String, capabilities: UInt64, sizes: (Int64?, Int?),
        dates: (Double?, Double?, Double?), versions: ([UInt8]?, [UInt8]?), marks: (UInt64?, [UInt8]?),
        flags: (UInt64, UInt64?), rest: ([NamedBytes], String?, ProviderError?, [UserInfoEntry])
    ) throws(MessageError) -> ProviderItem {
        var item = ProviderItem(identifier: place.0, parent: place.1, filename: place.2, kind: place.3)
        item.contentType = contentType
        item.capabilities = UInt(capabilities)
        (item.size, item.childCount) = sizes
        item.created = near(dates.0)
        item.modified = near(dates.1)
        item.lastUsed = near(dates.2)
        item.contentVersion = versions.0 ?? []
        item.metadataVersion = versions.1 ?? []
        item.favoriteRank = marks.0
        item.flags = Flags(rawValue: UInt16(truncatingIfNeeded: flags.0))
        item.fileSystemFlags = flags.1.map { UInt($0) }
        // Few items have these values. They share one allocation, which each assignment replaces. Therefore absent
        // values are not assigned.
        if let tags = marks.1 { item.tagData = tags }
        if !rest.0.isEmpty { item.extendedAttributes = rest.0.byName }
        if let target = rest.1 { item.linkTarget = target }
        if let error = rest.2 { item.uploadingError = error }
        if !rest.3.isEmpty { item.userInfo = rest.3.byName }
        if let fault = item.fault { throw .invalid(fault) }
        return item
    }

    /// Returns the given date in seconds since 1970; `nil` if it is farther from 1970 than ``farthestDate``.
    private static func near(_ date: Double?) -> Double? {
        guard let date, date.isFinite, abs(date) < farthestDate else { return nil }
        return date
    }

    /// The maximum distance of a date from 1970 in seconds, about 292,000 years. Within it, a date in microseconds fits
    /// into 64 bits.
    private static let farthestDate: Double = 9.2e12

    /// The name and the value of an entry of ``userInfo``.
    struct UserInfoEntry: SchemaMessage {
        let name: String
        let value: UserInfoValue

        static let schema = Schema(
            { UserInfoEntry(name: $0, value: $1) }, Field(0, \UserInfoEntry.name), Field(inline: valueSchema, \.value))

        /// The schema of the value. It does not use key 0, which is the key of the name.
        private static let valueSchema = Schema<UserInfoValue>(tag: nil) {
            Case(1, UserInfoValue.number, Field(1, \.self)) { if case .number(let number) = $0 { number } else { nil } }
            Case(2, UserInfoValue.text, Field(2, \.self)) { if case .text(let text) = $0 { text } else { nil } }
        }
    }
}

extension [ProviderItem.UserInfoEntry] {
    init(_ values: [String: ProviderItem.UserInfoValue]) {
        self = values.sorted { $0.key < $1.key }.map { ProviderItem.UserInfoEntry(name: $0.key, value: $0.value) }
    }

    /// The values by name. If a name occurs more than once, its first value is used.
    var byName: [String: ProviderItem.UserInfoValue] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension [UInt8] {
    fileprivate var unlessEmpty: [UInt8]? { isEmpty ? nil : self }
}
