import Conduit

/// A domain as a program has it that manages its provider's domains.
package struct ManagedDomain: Message, Equatable {
    /// What the provider calls it.
    package var identifier: String
    /// What a person sees.
    package var displayName: String
    /// The folder of its files, beneath the provider's document storage; empty for one that is named like the identifier.
    package var storage: String
    package var isReplicated: Bool
    package var isHidden: Bool
    /// Whether its provider's service is asked to look for items.
    package var isSearchable: Bool
    /// What the provider keeps with it: a property list; `nil` for nothing.
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
        // What an earlier version has kept says nothing of it.
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
