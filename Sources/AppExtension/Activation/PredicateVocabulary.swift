/// The names that a predicate may contain: names of the examined objects and of their properties.
package struct PredicateVocabulary: Sendable {
    /// The first names of key paths, such as `fileproviderItems`. A key path may also begin with a variable.
    let roots: [String]
    /// The names that may follow a dot.
    let properties: [String]
    /// The properties and roots after which any name may follow a dot, because providers define these names.
    let open: Set<String>

    /// The vocabulary for the rules of share and action extensions.
    static let extensionItems = PredicateVocabulary(
        roots: ["extensionItems"], properties: ["attachments", "registeredTypeIdentifiers"], open: [])

    /// The vocabulary for the rules of file providers' actions: the properties of `NSFileProviderItem` in
    /// ``ProviderItemProperty``. Boolean properties have two names each, as on Apple's platforms.
    package static let fileProviderItems = PredicateVocabulary(
        roots: [ProviderItemProperty.items, ProviderItemProperty.domainUserInfo],
        properties: ProviderItemProperty.allCases.flatMap(\.names) + ["identifier"],
        open: [
            ProviderItemProperty.userInfo.rawValue, ProviderItemProperty.inheritedUserInfo.rawValue,
            ProviderItemProperty.resolvedUserInfo.rawValue, ProviderItemProperty.domainUserInfo,
        ])

    /// The vocabulary for the rules of file providers' interactions with the user (``UserInteraction``).
    package static let userInteractions = interactions(with: InteractionRoot.ofRules)

    /// The vocabulary for the values in the texts of the interactions' alerts (``InteractionText``).
    static let alertTexts = interactions(with: InteractionRoot.ofTexts)

    private static func interactions(with roots: [InteractionRoot]) -> PredicateVocabulary {
        PredicateVocabulary(
            roots: roots.map(\.rawValue), properties: fileProviderItems.properties, open: fileProviderItems.open)
    }

    /// Returns a list of names for an error message. If there are many names, returns a general description instead.
    static func list(_ names: [String]) -> String {
        guard names.count <= 6 else { return "a property of an item" }
        return "\"" + names.joined(separator: "\" or \"") + "\""
    }
}

/// The properties of an item that the rule of a file provider's action can examine.
package enum ProviderItemProperty: String, CaseIterable, Sendable {
    case itemIdentifier, parentItemIdentifier, filename
    /// An object with an `identifier`.
    case contentType
    case typeIdentifier, capabilities, fileSystemFlags, documentSize, childItemCount
    /// Dates in seconds since 1970.
    case creationDate, contentModificationDate, lastUsedDate
    case favoriteRank, tagData, symlinkTargetPath, userInfo
    /// The merged `userInfo` of the directories that contain the item. If several directories have the same key, the
    /// value of the nearest one is used.
    case inheritedUserInfo
    /// The entries of ``inheritedUserInfo`` and of the item's own `userInfo` whose keys end in `.inherited`. For a key
    /// in both, the item's own value is used.
    case resolvedUserInfo
    case isTrashed, isUploaded, isUploading, uploadingError, isDownloaded, isDownloading, isMostRecentVersionDownloaded
    case isShared, isSharedByCurrentUser

    /// The root name for the selected items.
    package static let items = "fileproviderItems"
    /// The root name for the provider's data about its domain.
    package static let domainUserInfo = "domainUserInfo"

    /// The properties that are dates.
    static let dates = [creationDate, contentModificationDate, lastUsedDate].map(\.rawValue)

    /// The property's names, such as `isUploaded` and `uploaded`.
    package var names: [String] {
        guard rawValue.hasPrefix("is") else { return [rawValue] }
        let plain = rawValue.dropFirst(2)
        return [rawValue, plain.prefix(1).lowercased() + plain.dropFirst()]
    }
}
