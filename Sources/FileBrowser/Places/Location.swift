import LinuxSystem

/// The contents of a window: a folder, a search, or another list of items.
package enum Location: Sendable, Hashable {
    /// A folder of a domain; an empty path is the domain itself.
    case folder(domain: String, path: String)
    case recents
    case favorites
    case trash
    case transfers
    /// The items with the given tag, from all domains.
    case tag(String)
    /// The results of a search in one domain, or in all domains if `domain` is `nil`.
    case search(text: String, domain: String?)

    /// The parent folder; `nil` for the top of a domain and for other locations.
    package var parent: Location? {
        guard case .folder(let domain, let path) = self, !path.isEmpty else { return nil }
        return .folder(domain: domain, path: path.parentPath)
    }

    /// The domain that is shown or searched; `nil` for a location in several domains.
    package var domain: String? {
        switch self {
        case .folder(let domain, _): domain
        case .search(_, let domain): domain
        default: nil
        }
    }

    /// Whether this and the other location are searches in the same domain. Their texts may differ, which only the
    /// search entry shows.
    package func isSameSearch(as other: Location) -> Bool {
        guard case .search(_, let domain) = self, case .search(_, let otherDomain) = other else { return false }
        return domain == otherDomain
    }

    package var title: String {
        switch self {
        case .folder(let domain, let path): path.isEmpty ? domain : path.lastPathName
        case .recents: "Recents"
        case .favorites: "Favorites"
        case .trash: "Trash"
        case .transfers: "Transfers"
        case .tag(let tag): "Tag “\(tag)”"
        case .search: "Search"
        }
    }

    /// The folders from the domain to this folder, for a path bar. For any other location, only that location.
    package var ancestry: [Location] {
        guard case .folder(let domain, let path) = self else { return [self] }
        var locations: [Location] = [.folder(domain: domain, path: "")]
        var prefix = ""
        for name in path.pathNames {
            prefix += (prefix.isEmpty ? "" : "/") + name
            locations.append(.folder(domain: domain, path: prefix))
        }
        return locations
    }
}
