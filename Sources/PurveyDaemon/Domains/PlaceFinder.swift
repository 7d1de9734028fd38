import DomainMessages
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem

/// A lookup of places in the indexes of domains. It remembers the last directory, because a caller usually asks for all
/// items of one directory.
struct PlaceFinder {
    private let domains: [KnownItems.Domain]
    /// The domains with all forms of their paths.
    private let roots: [(domain: KnownItems.Domain, paths: Set<String>)]
    private var last: KnownItems.Found?

    init(_ domains: [KnownItems.Domain]) {
        self.domains = domains
        roots = domains.map { ($0, Set([$0.path, $0.otherPath].flatMap(DomainService.forms))) }
    }

    /// Returns the item at a place and its domain. The item is missing if the index does not have it. Both are missing
    /// if the place is in no domain.
    mutating func find(_ place: ItemPlace) throws(IndexError) -> KnownItems.Found {
        guard place.text.isAbsolutePath, let (directory, name) = Self.parts(of: place.path) else {
            return try findFromRoot(place)
        }
        if last?.path.hasSameBytes(as: directory) != true {
            last = try findFromRoot(ItemPlace(text: directory, path: directory))
        }
        // A directory outside of all domains may contain a mount.
        guard let folder = last, let domain = folder.domain else { return try findFromRoot(place) }
        var found = KnownItems.Found(path: place.text, domain: domain)
        if let folder = folder.item {
            found.item = try domain.domain.engine.index.item(named: name, in: folder.number)
        }
        return found
    }

    /// Returns the directory and the name of a path; `nil` if the last component is not a name.
    private static func parts(of path: String) -> (directory: String, name: String)? {
        guard let slash = path.lastSlash else { return nil }
        let name = String(path[path.utf8.index(after: slash)...])
        return ["", ".", ".."].contains(name) ? nil : (String(path[..<slash]), name)
    }

    private func findFromRoot(_ place: ItemPlace) throws(IndexError) -> KnownItems.Found {
        var found = KnownItems.Found(path: place.text)
        var names: [String] = []
        if let named = DomainService.parts(of: place.text),
            let domain = domains.first(where: { $0.name == named.domain })
        {
            found.domain = domain
            names = named.names
        } else {
            for (domain, paths) in roots {
                for path in paths {
                    guard let beneath = place.path.pathNames(beneath: path) else { continue }
                    found.domain = domain
                    names = beneath
                }
            }
        }
        guard let index = found.domain?.domain.engine.index else { return found }
        found.item = try index.item(.root)
        for name in names {
            guard let folder = found.item else { break }
            found.item = try index.item(named: name, in: folder.number)
        }
        return found
    }
}
