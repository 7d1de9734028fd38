import Conduit

/// A domain as seen by a program that manages its provider's domains.
package struct ManagedDomain: SchemaMessage, Equatable {
    /// The provider's identifier of the domain.
    package var identifier: String
    /// The name that the user sees.
    package var displayName: String
    /// The directory of the domain's files, relative to the provider's document storage. Empty for the default
    /// directory, which is named after the identifier.
    package var storage: String
    package var isReplicated: Bool
    package var isHidden: Bool
    /// Whether searches ask the provider's service, too.
    package var isSearchable: Bool
    /// The provider's own data about the domain, a property list; `nil` for none.
    package var userInfo: [UInt8]?

    /// The maximum number of bytes of ``userInfo``.
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

    // The last field is absent in records that an earlier version of Purvey wrote.
    package static let schema = Schema(
        {
            Self(
                identifier: $0, displayName: $1, storage: $2, isReplicated: $3, isHidden: $4, isSearchable: $6,
                userInfo: $5)
        },
        Field(0, \.identifier), Field(1, \.displayName), Field(2, \.storage), Field(3, \.isReplicated),
        Field(4, \.isHidden), Field(5, bytes: \.userInfo), Field(6, \.isSearchable, absent: false))
}
