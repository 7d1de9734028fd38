extension ProviderItem {
    /// The maximum number of bytes of an identifier, of a name, or of the target of a symbolic link.
    package static let longestText = 4096
    /// The maximum number of bytes of a version tag.
    package static let longestVersion = 1000
    /// The maximum number of bytes of an item's tag data. The same limit applies to the total of its extended
    /// attributes.
    package static let mostBytes = 256 << 10
    /// The maximum number of bytes of ``userInfo``.
    package static let longestUserInfo = 16 << 10

    /// A description, in a few words, of an item that has no identifier or exceeds a limit; `nil` for any other item.
    package var fault: String? {
        if identifier.isEmpty { return "an item without an identifier" }
        let texts = max(
            max(identifier.utf8.count, parent.utf8.count), max(filename.utf8.count, contentType.utf8.count))
        if texts > Self.longestText { return "an item with a text of \(texts) bytes" }
        let versions = max(contentVersion.count, metadataVersion.count)
        if versions > Self.longestVersion { return "an item with a version of \(versions) bytes" }
        guard hasMore else { return nil }
        if let linkTarget, linkTarget.utf8.count > Self.longestText {
            return "an item with a link of \(linkTarget.utf8.count) bytes"
        }
        if (tagData?.count ?? 0) > Self.mostBytes || Self.size(of: extendedAttributes) > Self.mostBytes {
            return "an item with more than \(Self.mostBytes) bytes of attributes"
        }
        if Self.size(of: userInfo) > Self.longestUserInfo {
            return "an item with more than \(Self.longestUserInfo) bytes of userInfo"
        }
        return nil
    }

    /// Returns the total number of bytes of the given extended attributes' names and values.
    package static func size(of attributes: [String: some Collection<UInt8>]) -> Int {
        attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
    }

    /// Returns the approximate number of bytes of the names and values in the given ``userInfo``.
    package static func size(of userInfo: [String: UserInfoValue]) -> Int {
        userInfo.reduce(0) { size, entry in
            let value = if case .text(let text) = entry.value { text.utf8.count } else { 8 }
            return size + entry.key.utf8.count + value
        }
    }
}
