import Conduit

/// A domain as seen by a program that manages its provider's domains.
package struct ManagedDomain: Message, Equatable {
    /// The provider's identifier of the domain.
    package var identifier: String
    /// The name that the user sees.
    package var displayName: String
    /// The directory of its files, relative to the provider's document storage. Empty for the default, which is named
    /// after the identifier.
    package var storage: String
    package var isReplicated: Bool
    package var isHidden: Bool
    /// Whether searches ask the provider's service, too.
    package var isSearchable: Bool
    /// The provider's own data about the domain, a property list; `nil` for none.
    package var userInfo: [UInt8]?

    /// The most bytes of ``userInfo``.
    package static let longestUserInfo = 64 << 10

    package init(
        identifier: String, displayName: String, storage: String = "", isReplicated: Bool = false,
        isHidden: Bool = false, isSearchable: Bool = false, userInfo: [UInt8]? = nil
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.storage = storage
        self.isReplicated = isReplicated
        self.isHidden = isHidden
        self.isSearchable = isSearchable
        self.userInfo = userInfo
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        displayName = try decoder.decode(forKey: 1)
        storage = try decoder.decode(forKey: 2)
        isReplicated = try decoder.decode(forKey: 3)
        isHidden = try decoder.decode(forKey: 4)
        userInfo = try decoder.decodeIfPresent(ByteString.self, forKey: 5)?.bytes
        // Records of an earlier version lack this field.
        isSearchable = try decoder.decodeIfPresent(forKey: 6) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(displayName, forKey: 1)
        encoder.encode(storage, forKey: 2)
        encoder.encode(isReplicated, forKey: 3)
        encoder.encode(isHidden, forKey: 4)
        encoder.encodeIfPresent(userInfo.map { ByteString($0) }, forKey: 5)
        encoder.encode(isSearchable, forKey: 6)
    }
}
