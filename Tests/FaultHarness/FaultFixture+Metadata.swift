import DomainMessages
import FileProvider
import FileProviderEngine
import Glibc
import ItemStore
import ItemValues
import ScriptableService

/// Tags, favorites and the trash, locally and at the service.
extension FaultFixture {
    static func isInTrash(_ path: String) -> Bool { path.hasPrefix(CloudItem.trashPath + "/") }

    /// Describes tags and favorites; an empty text stands for none.
    static func words(tags: some Collection<String>, isFavorite: Bool) -> String {
        (tags.sorted() + (isFavorite ? ["a favorite"] : [])).joined(separator: ", ")
    }

    static func words(_ item: CloudItem) -> String {
        words(tags: item.tagData.map { TagList.names(in: $0) } ?? [], isFavorite: item.favoriteRank != nil)
    }

    /// Returns the local tags and favorites, by path.
    ///
    /// - Parameter tags: The tags to search for.
    func marks(_ tags: Set<String>) throws -> [String: String] {
        var found = try call(FavoritesCall()).items
        for tag in tags.sorted() {
            found += try call(
                SearchCall(
                    domain: Self.domain, words: [], types: [], tags: [tag], since: nil, before: nil, limit: 10_000)
            ).items
        }
        let marks = found.map { ($0.path, Self.words(tags: $0.tags, isFavorite: $0.favoriteRank != nil)) }
        return Dictionary(marks) { $1 }
    }

    /// Returns the paths of the items that are known locally to be in the trash.
    func trash() throws -> [String] {
        try call(TrashedItemsCall()).items.map { CloudItem.trashPath + "/" + $0.name }
    }

    /// Whether the service has an item in its trash.
    func isTrashed(_ name: String) throws -> Bool {
        try service.snapshot()[CloudItem.trashPath + "/" + name] != nil
    }

    /// Waits until the service has an item in its trash, because the edit may not have been sent yet.
    func waitForTrashed(_ name: String) throws {
        for _ in 0..<6_000 {
            if try isTrashed(name) { return }
            usleep(20_000)
        }
        throw Failed(description: "\(name) does not come to the trash")
    }

    func compareTrash(_ index: Index, _ snapshot: [String: TrialItem]) throws -> [Loss] {
        // The trash of a server is not a part of its files.
        if snapshot.values.contains(where: { $0.item == nil }) { return [] }
        let here = Set(try index.trashed().map(\.identifier))
        let there = Set(snapshot.values.compactMap(\.item).filter { $0.parent == CloudItem.trash }.map(\.identifier))
        return here.symmetricDifference(there).sorted().map {
            Loss(.indexDiffers, $0, here.contains($0) ? "it is no more in the trash" : "it is in the trash")
        }
    }

    func difference(_ index: Index, _ row: IndexedItem, _ item: CloudItem) throws(IndexError) -> String? {
        let metadata = try index.metadata(of: row.number)
        let words = Self.words(tags: metadata.tags, isFavorite: metadata.favoriteRank != nil)
        return words == Self.words(item) ? nil : "its marks are “\(words)”, not “\(Self.words(item))”"
    }

    /// Returns the attributes that were set locally and that differ from those at a service that stores them.
    static func differences(_ attributes: [String: SetAttributes], _ items: [String: CloudItem]) -> [Loss] {
        attributes.sorted { $0.key < $1.key }.flatMap { path, wanted -> [Loss] in
            guard let item = items[path] else { return [] }
            var differing: [String] = []
            let permissions = item.permissions ?? (item.kind == .folder ? 7 : 6)
            if let mode = wanted.mode, permissions != self.permissions(of: mode) { differing.append("permissions") }
            if let date = wanted.modified, Int(item.modified.rounded(.down)) != date { differing.append("date") }
            let extended = wanted.extended.map { ($0.key.dropFirst("user.".count), Array($0.value.utf8)) }
            if Dictionary(uniqueKeysWithValues: extended.map { (String($0), $1) }) != item.attributes ?? [:] {
                differing.append("extended attributes")
            }
            return differing.map { Loss(.lostEdit, path, "the service does not have its \($0)") }
        }
    }

    private static func permissions(of mode: UInt16) -> UInt {
        (mode & 0o100 != 0 ? 1 : 0) | (mode & 0o400 != 0 ? 2 : 0) | (mode & 0o200 != 0 ? 4 : 0)
    }
}
