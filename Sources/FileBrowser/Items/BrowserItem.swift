import DomainMessages
import FileProvider
import FileProviderWire
import ItemValues
import LinuxSystem

/// An item as the browser shows it.
package struct BrowserItem: Sendable, Equatable {
    /// The identity of an item within the browser. Paths are compared by their bytes, because two files in a folder may
    /// have names that are canonically equivalent.
    package struct ID: Hashable, Sendable {
        package let domain: String
        package let path: String

        package init(domain: String, path: String) {
            self.domain = domain
            self.path = path
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.path.hasSameBytes(as: right.path) && left.domain.hasSameBytes(as: right.domain)
        }

        package func hash(into hasher: inout Hasher) {
            for byte in path.utf8 { hasher.combine(byte) }
        }
    }

    /// The domain's name.
    package var domain: String
    /// The path of the parent folder in the domain; empty for the domain itself.
    package var folder: String
    /// The path at which the domain is mounted; `nil` if the domain is not mounted.
    package var mount: String?
    package var description: ItemDescription
    /// Whether the item lies in the trash of its domain.
    package var isTrashed = false
    /// Whether the item is known only from a search at the service, and is not in the index yet.
    package var isRemote = false
    package var favoriteRank: UInt64?
    package var tags: [String] = []

    package init(domain: String, folder: String, mount: String?, description: ItemDescription) {
        self.domain = domain
        self.folder = folder
        self.mount = mount
        self.description = description
    }

    package var name: String { description.name }
    package var isFolder: Bool { description.kind == .folder }
    package var path: String { folder.isEmpty ? name : folder + "/" + name }
    /// The path in the mount; `nil` if there is none.
    package var mountedPath: String? {
        isTrashed || isRemote ? nil : mount.map { $0 + "/" + path }
    }
    /// The item in the form that requests to the daemon require. It needs no mount.
    package var place: ItemPlace { ItemPlace(text: domain + ":" + path, path: "") }
    /// The identity of the item. For items in the trash and results of a search at the service, it contains the item
    /// identifier instead of the path, because several of them may have the same path.
    package var id: ID {
        ID(domain: domain, path: isTrashed || isRemote ? "\0" + description.identifier : path)
    }
    package var condition: ItemCondition { ItemCondition(description, domain: domain) }
}

extension BrowserItem {
    init(_ found: FoundItemDescription) {
        self.init(
            domain: found.domain, folder: found.path.parentPath,
            mount: found.mountedPath.flatMap { mounted in
                mounted.hasSuffix("/" + found.path) ? String(mounted.dropLast(found.path.count + 1)) : nil
            },
            description: found.item)
        favoriteRank = found.favoriteRank
        tags = found.tags
    }

    init(_ found: ProvidedItemDescription) {
        let result = found.result
        let kind: ProviderItem.Kind = result.contentType == "public.folder" ? .folder : .file
        var description = ItemDescription(
            name: found.path?.lastPathName ?? result.filename, identifier: result.identifier, kind: kind,
            contentType: result.contentType, size: result.size, modified: result.modified, state: .dataless,
            isPinned: false, fault: nil, target: nil)
        description.isUploaded = true
        self.init(
            domain: found.domain, folder: found.path?.parentPath ?? "",
            mount: found.path.flatMap { path in found.mountedPath.map { String($0.dropLast(path.count + 1)) } },
            description: description)
        isRemote = found.path == nil
    }

    init(_ trashed: TrashedItem) {
        self.init(
            domain: trashed.domain, folder: "", mount: nil,
            description: ItemDescription(
                name: trashed.name, identifier: trashed.identifier, kind: trashed.kind, contentType: "", size: nil,
                modified: nil, state: .dataless, isPinned: false, fault: nil, target: nil))
        isTrashed = true
    }
}

extension String {
    /// The path without its last name; empty for a single name.
    package var parentPath: String { lastSlash.map { String(self[..<$0]) } ?? "" }
}
