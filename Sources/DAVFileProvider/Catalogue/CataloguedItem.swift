import Foundation
import WebDAVClient

/// An item in the catalogue.
package struct CataloguedItem: Sendable {
    package let number: Int64
    var parent: Int64
    var name: String
    package let isFolder: Bool
    package var version: DAVVersion
    var traits: DAVTraits
    /// The content version that the system received last for this item; `nil` if it has received none.
    var told: String?
    /// The number of the listing or change in which the server reported the item last.
    var round: Int64

    /// The number of the root, which is its own parent.
    package static let root: Int64 = 1

    /// The content version as text. It consists only of properties that listings contain, so that the replies to all
    /// kinds of requests result in the same version.
    var contentVersion: String { isFolder ? "folder" : version.text }

    /// Whether both states of the item look the same to the system. If so, the change feed need not report a change.
    func isSame(as other: CataloguedItem) -> Bool {
        parent == other.parent && name.utf8.elementsEqual(other.name.utf8) && isFolder == other.isFolder
            && contentVersion == other.contentVersion && version.modified == other.version.modified
            && traits == other.traits
    }
}

extension DAVVersion {
    /// The version as a text: the tag and length, or else the date and length.
    var text: String {
        let size = length.map { String($0) } ?? "?"
        if let tag { return "\(size) \(tag)" }
        return "\(size) @\(modified.map { String($0) } ?? "?")"
    }
}

/// A file or folder as a listing shows it.
package struct ObservedItem: Sendable {
    let name: String
    let isFolder: Bool
    let version: DAVVersion
    let traits: DAVTraits

    init(_ entry: DAVEntry, _ service: any DAVServiceKind) {
        name = entry.name
        isFolder = entry.isDirectory
        version = entry.version
        traits = service.traits(of: entry)
    }

    package init(name: String, isFolder: Bool, version: DAVVersion, traits: DAVTraits) {
        (self.name, self.isFolder, self.version, self.traits) = (name, isFolder, version, traits)
    }

    func item(_ number: Int64, in parent: Int64, round: Int64) -> CataloguedItem {
        CataloguedItem(
            number: number, parent: parent, name: name, isFolder: isFolder, version: version, traits: traits,
            told: nil, round: round)
    }
}
