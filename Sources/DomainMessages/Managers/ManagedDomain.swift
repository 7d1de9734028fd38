import Conduit

/// A description of a domain. The daemon exchanges it with the programs that manage the domains of their provider.
package struct ManagedDomain: SchemaMessage, Equatable {
    /// The identifier that the provider uses for the domain.
    package var identifier: String
    /// The name that the user sees.
    package var displayName: String
    /// The path of the directory for the domain's files, relative to the provider's document storage. If it is empty,
    /// the directory is named after the domain's identifier.
    package var storage: String
    package var isReplicated: Bool
    package var isHidden: Bool
    /// Whether searches in the domain are also sent to the provider's service.
    package var isSearchable: Bool
    /// The provider's own data about the domain, as a property list; `nil` if there is none.
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
