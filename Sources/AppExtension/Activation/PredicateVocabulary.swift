/// The names that a predicate can have: of what it is asked about, and of what each of those can be asked for.
package struct PredicateVocabulary: Sendable {
    /// What a rule can begin at, besides variables.
    let roots: [String]
    /// What may follow a dot.
    let properties: [String]
    /// Of those and of the roots, what is followed by names that others made up.
    let open: Set<String>

    /// What the rule of a share or action extension looks at.
    static let extensionItems = PredicateVocabulary(
        roots: ["extensionItems"], properties: ["attachments", "registeredTypeIdentifiers"], open: [])

    /// What the rule of a file provider's action looks at: the properties of `NSFileProviderItem`, of which those that are true or
    /// not have two names each, as with Apple; in ``ProviderItemProperty``.
    package static let fileProviderItems = PredicateVocabulary(
        roots: [ProviderItemProperty.items, ProviderItemProperty.domainUserInfo],
        properties: ProviderItemProperty.allCases.flatMap(\.names) + ["identifier"],
        open: [
            ProviderItemProperty.userInfo.rawValue, ProviderItemProperty.inheritedUserInfo.rawValue,
            ProviderItemProperty.domainUserInfo,
        ])

    /// In words for people.
    static func list(_ names: [String]) -> String {
        guard names.count <= 6 else { return "a property of an item" }
        return "\"" + names.joined(separator: "\" or \"") + "\""
    }
}

/// What the rule of a file provider's action can ask of an item.
package enum ProviderItemProperty: String, CaseIterable, Sendable {
    case itemIdentifier, parentItemIdentifier, filename
    /// An object with an `identifier`.
    case contentType
    case typeIdentifier, capabilities, fileSystemFlags, documentSize, childItemCount
    /// Seconds since 1970.
    case creationDate, contentModificationDate, lastUsedDate
    case favoriteRank, tagData, symlinkTargetPath, userInfo
    /// The `userInfo` of the folders around the item. A key of a nearer folder hides that of a farther one.
    case inheritedUserInfo
    case isTrashed, isUploaded, isUploading, uploadingError, isDownloaded, isDownloading, isMostRecentVersionDownloaded
    case isShared

    /// What a rule begins at: the items that were chosen.
    package static let items = "fileproviderItems"
    /// And what the provider says of its domain.
    package static let domainUserInfo = "domainUserInfo"

    /// Those that are dates.
    static let dates = [creationDate, contentModificationDate, lastUsedDate].map(\.rawValue)

    /// The names that it goes by: `isUploaded`, and `uploaded`.
    package var names: [String] {
        guard rawValue.hasPrefix("is") else { return [rawValue] }
        let plain = rawValue.dropFirst(2)
        return [rawValue, plain.prefix(1).lowercased() + plain.dropFirst()]
    }
}
