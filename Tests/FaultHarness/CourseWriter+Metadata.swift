import FileTesting
import ScriptableService

/// Tags, favorites and the trash.
extension CourseWriter {
    /// The tags of an item, and whether it is a favorite.
    struct Tagging {
        var tags: Set<String> = []
        var isFavorite = false

        var words: String { FaultFixture.words(tags: tags, isFavorite: isFavorite) }
    }

    /// An item in the trash.
    struct Trashed {
        /// The current path of the item's former directory; `nil` if the item cannot be restored.
        var former: String?
        /// The item and its descendants, by relative path. The path of the item itself is empty; the others begin with
        /// a slash.
        var tree: [String: String]
        var marks: [String: Tagging]
    }

    private static let tags = ["red", "blue", "work", "für später"]

    mutating func mark(_ deed: Scenario.Deed) {
        let tag = Self.tags[generator.below(Self.tags.count)]
        let marked = marks
        switch deed {
        case .tag:
            guard let path = any({ path, _ in !Self.isTheirs(path) }) else { return }
            marks[path, default: Tagging()].tags.insert(tag)
            operations.append(.tag(path, added: [tag], removed: []))
        case .untag:
            guard let path = any({ path, _ in marked[path]?.tags.isEmpty == false }),
                let old = marks[path]?.tags.sorted().first
            else { return }
            // Sometimes another tag replaces the removed one.
            let added = generator.below(2) == 0 && tag != old ? [tag] : []
            marks[path]?.tags.remove(old)
            marks[path]?.tags.formUnion(added)
            operations.append(.tag(path, added: added, removed: [old]))
        default:
            let isAgain = generator.below(2) == 0 && marked.values.contains { $0.isFavorite }
            let path = any { path, _ in isAgain ? marked[path]?.isFavorite == true : !Self.isTheirs(path) }
            guard let path else { return }
            marks[path, default: Tagging()].isFavorite.toggle()
            operations.append(.favor(path, marks[path]?.isFavorite == true))
        }
    }

    // MARK: The trash

    mutating func trash() {
        let trashed = trashed
        let path = any { path, _ in !Self.isTheirs(path) && trashed[Self.name(of: path)] == nil }
        guard let path else { return }
        var entry = Trashed(former: Self.parent(path), tree: [:], marks: [:])
        for (old, what) in tree where old == path || old.hasPrefix(path + "/") {
            let rest = String(old.dropFirst(path.count))
            entry.tree[rest] = what
            entry.marks[rest] = marks.removeValue(forKey: old)
        }
        for rest in entry.tree.keys { tree[path + rest] = nil }
        moveFormer(path, to: nil)
        self.trashed[Self.name(of: path)] = entry
        freed.append(path)
        operations.append(.trash(path))
    }

    mutating func untrash() {
        let (tree, trashed) = (tree, trashed)
        let free = trashed.filter { name, entry in
            guard let former = entry.former else { return false }
            return (former.isEmpty || tree[former] == "folder") && tree[Self.join(former, name)] == nil
        }
        guard let name = choose(free), let entry = self.trashed.removeValue(forKey: name), let former = entry.former
        else { return }
        let path = Self.join(former, name)
        for (rest, what) in entry.tree { self.tree[path + rest] = what }
        for (rest, mark) in entry.marks { marks[path + rest] = mark }
        operations.append(.untrash(name, to: path))
    }

    mutating func emptyTrash(_ deed: Scenario.Deed) {
        guard let name = choose(trashed) else { return }
        trashed[name] = nil
        operations.append(deed == .removeForGood ? .removeForGood(name) : .removeFromTrash(name))
    }

    private mutating func choose(_ entries: [String: Trashed]) -> String? {
        let names = entries.keys.sorted()
        return names.isEmpty ? nil : names[generator.below(names.count)]
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Updates the former directories of trashed items after a directory has moved. `nil` stands for a removal.
    mutating func moveFormer(_ path: String, to target: String?) {
        for (name, entry) in trashed {
            guard let former = entry.former, former == path || former.hasPrefix(path + "/") else { continue }
            trashed[name]?.former = target.map { $0 + former.dropFirst(path.count) }
        }
    }

    // MARK: The end

    /// The items in the trash, by their paths at the service.
    var trashTree: [String: String] {
        var all: [String: String] = [:]
        for (name, entry) in trashed {
            for (rest, what) in entry.tree { all[CloudItem.trashPath + "/" + name + rest] = what }
        }
        return all
    }

    /// The descriptions of all tags and favorites, by path.
    var markWords: [String: String] {
        var all = marks
        for (name, entry) in trashed {
            for (rest, mark) in entry.marks { all[CloudItem.trashPath + "/" + name + rest] = mark }
        }
        return all.mapValues(\.words).filter { !$0.value.isEmpty }
    }
}
