import FileTesting

/// A generator of a scenario's operations. It records the tree that results from them.
///
/// Other clients only change items in one directory, and the local user only changes items outside it, so that no
/// conflicts occur.
struct CourseWriter {
    var tree: [String: String] = [:]
    var operations: [Operation] = []
    private(set) var texts: Set<String> = []
    /// The tags and favorites of items in the tree.
    var marks: [String: Tagging] = [:]
    /// The attributes that the local user has set on items in the tree.
    var attributes: [String: SetAttributes] = [:]
    /// The items in the trash, by their names in it.
    var trashed: [String: Trashed] = [:]
    private let scenario: Scenario
    private let hasLinks: Bool
    var generator: RandomNumbers
    private var lastNumber = 0
    /// Names that are not in use any more.
    var freed: [String] = []
    /// The possible contents of a file in the other clients' directory, until a change of it is known locally.
    var versions: [String: [String]] = [:]

    private static let theirs = "theirs"

    /// - Parameter hasLinks: Whether the service has symbolic links.
    init(_ scenario: Scenario, seed: UInt64, hasLinks: Bool) {
        self.scenario = scenario
        self.hasLinks = hasLinks
        var seeds = RandomNumbers(seed: seed)
        generator = RandomNumbers(seed: seeds.next() ^ UInt64(Scenario.allCases.firstIndex(of: scenario) ?? 0))
        for folder in ["a", "a/inner", "b", "empty", "other", Self.theirs] { tree[folder] = "folder" }
        let files = ["one.txt", "a/two.txt", "a/inner/three.txt", "b/four.txt", "other/five.txt", "other/six.txt"]
        for path in files + ["theirs/seven.txt", "theirs/eight.txt"] { tree[path] = text(path, large: false) }
        switch scenario {
        case .listings:
            // The listings have some pages; each further file would add some 30 steps.
            for number in 0..<27 { tree["theirs/item \(number)"] = text("item \(number)", size: 20) }
            for number in 0..<13 { tree["a/item \(number)"] = text("item \(number)", size: 20) }
        case .downloads: for path in ["b/large.bin", "theirs/large.bin"] { tree[path] = text(path, large: true) }
        case .parts:
            for path in ["b/large.bin", "theirs/large.bin"] { tree[path] = text(path, size: Self.partSize) }
        default: break
        }
    }

    // MARK: Texts and names

    /// Returns a text in which each line contains the file's path.
    private mutating func text(_ path: String, large: Bool) -> String {
        text(path, size: large ? 200_000 + generator.below(400_000) : generator.below(3000))
    }

    mutating func text(_ path: String, size: Int) -> String {
        lastNumber += 1
        let line = "\(lastNumber) \(path)\n"
        let text = String(repeating: line, count: 1 + size / line.utf8.count) + "end \(lastNumber)\n"
        texts.insert(text)
        return text
    }

    mutating func freshName() -> String {
        lastNumber += 1
        return "new \(lastNumber)"
    }

    static func isTheirs(_ path: String) -> Bool { path == theirs || path.hasPrefix(theirs + "/") }
    private static func isFile(_ what: String) -> Bool { what != "folder" && !what.hasPrefix("-> ") }
    static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
    static func join(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : folder + "/" + name }

    mutating func any(_ isWanted: (String, String) -> Bool) -> String? {
        let paths = tree.filter { isWanted($0.key, $0.value) }.keys.sorted()
        return paths.isEmpty ? nil : paths[generator.below(paths.count)]
    }

    mutating func anyFile() -> String? { any { Self.isFile($1) && !Self.isTheirs($0) } }
    mutating func anyOfTheirs() -> String? { any { Self.isFile($1) && Self.isTheirs($0) } }
    private mutating func anyFolder() -> String { any { $1 == "folder" && !Self.isTheirs($0) } ?? "" }
    private func children(of folder: String) -> [String] { tree.keys.filter { Self.parent($0) == folder } }

    // MARK: Operations

    /// Adds one operation, or several that belong together.
    mutating func write() {
        // If the tree has become too small for one kind of operation, another is chosen.
        for _ in 0..<50 {
            let before = operations.count
            perform(scenario.deeds[generator.below(scenario.deeds.count)])
            if operations.count > before { return }
        }
    }

    /// Adds the operations that every course of the scenario contains.
    mutating func writeCertain() {
        for deed in scenario.certainDeeds { perform(deed) }
    }

    private mutating func perform(_ deed: Scenario.Deed) {
        switch deed {
        case .make: make(at: Self.join(anyFolder(), freshName()), large: false)
        case .makeLarge: make(at: Self.join(anyFolder(), freshName()), large: true)
        case .makeFolder: makeFolder(at: Self.join(anyFolder(), freshName()))
        case .makeLink where hasLinks:
            let path = Self.join(anyFolder(), freshName())
            tree[path] = "-> one.txt"
            operations.append(.makeLink(path, to: "one.txt"))
        case .makeLink: return
        case .change, .overwrite, .append, .save: edit(deed)
        case .rename, .move, .renameFolder, .replace: rename(deed)
        case .remove: if let path = anyFile() { remove(path) }
        case .removeFolder:
            let full = Set(tree.keys.map(Self.parent))
            let empty = any { path, what in what == "folder" && !Self.isTheirs(path) && !full.contains(path) }
            if let path = empty { remove(path) }
        case .removeTree: if let path = any({ $1 == "folder" && !Self.isTheirs($0) }) { removeTree(path) }
        case .makeAgain:
            guard let path = freed.popLast(), tree[path] == nil, tree[Self.parent(path), default: ""] == "folder"
            else { return }
            if generator.below(3) == 0 { makeFolder(at: path) } else { make(at: path, large: false) }
        case .list: list()
        case .read:
            guard let path = any({ Self.isFile($1) && $0.count > 0 }) else { return }
            operations.append(.read(path, versions[path, default: []] + [tree[path] ?? ""]))
        case .evict: if let path = any({ Self.isFile($1) && $0.count > 0 }) { operations.append(.evict(path)) }
        case .put, .putNew, .takeAway, .moveThere: changeThere(deed)
        case .tag, .untag, .favor: mark(deed)
        case .trash: trash()
        case .untrash: untrash()
        case .emptyTrash, .removeForGood: emptyTrash(deed)
        case .setMode, .setDate, .setAttribute, .removeAttribute: setAttributes(deed)
        case .open: open()
        case .readPart: readPart()
        case .putLarge: putLarge()
        case .expireAnchors: operations.append(.expireAnchors)
        }
    }

    private mutating func make(at path: String, large: Bool) {
        let text = text(path, large: large)
        tree[path] = text
        operations.append(.make(path, text))
    }

    private mutating func makeFolder(at path: String) {
        tree[path] = "folder"
        operations.append(.makeFolder(path))
    }

    private mutating func edit(_ deed: Scenario.Deed) {
        guard let path = anyFile(), let old = tree[path] else { return }
        // A change sets the date. A file that is saved by a rename is a new one without attributes.
        if deed == .save { attributes[path] = nil } else { attributes[path]?.modified = nil }
        switch deed {
        case .overwrite:
            let new = text(path, size: old.utf8.count + generator.below(1000))
            tree[path] = new
            operations.append(.overwrite(path, new))
        case .append:
            let more = text(path, size: generator.below(5000))
            texts.insert(old + more)
            tree[path] = old + more
            operations.append(.append(path, more, whole: old + more))
        default:
            let new = text(path, large: generator.below(8) == 0)
            tree[path] = new
            operations.append(deed == .save ? .save(path, new) : .change(path, new))
        }
    }

    private mutating func rename(_ deed: Scenario.Deed) {
        switch deed {
        case .rename:
            guard let path = anyFile() else { return }
            moveInTree(path, to: Self.join(Self.parent(path), freshName()))
        case .move:
            guard let path = anyFile() else { return }
            moveInTree(path, to: Self.join(anyFolder(), freshName()))
        case .replace:
            guard let path = anyFile(), let other = anyFile(), path != other else { return }
            moveInTree(path, to: other)
        default:
            guard let path = any({ $1 == "folder" && !Self.isTheirs($0) }) else { return }
            let target = anyFolder()
            guard target != path, !target.hasPrefix(path + "/") else { return }
            moveInTree(path, to: Self.join(target, freshName()))
        }
    }

    private mutating func moveInTree(_ path: String, to target: String) {
        let moved = tree.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
        for (old, what) in moved {
            tree[old] = nil
            tree[target + old.dropFirst(path.count)] = what
            marks[target + old.dropFirst(path.count)] = marks.removeValue(forKey: old)
            attributes[target + old.dropFirst(path.count)] = attributes.removeValue(forKey: old)
        }
        moveFormer(path, to: target)
        freed.append(path)
        operations.append(.rename(path, to: target))
    }

    private mutating func remove(_ path: String) {
        operations.append(tree[path] == "folder" ? .removeFolder(path) : .remove(path))
        tree[path] = nil
        marks[path] = nil
        attributes[path] = nil
        moveFormer(path, to: nil)
        freed.append(path)
    }

    private mutating func removeTree(_ path: String) {
        let beneath = tree.keys.filter { $0.hasPrefix(path + "/") }
        for path in beneath.sorted(by: >) + [path] { remove(path) }
    }

    private mutating func list() {
        guard let path = any({ $1 == "folder" && $0.count > 0 }) else { return }
        let names = children(of: path).map { String($0.dropFirst(path.count + 1)) }
        operations.append(.list(path, Self.isTheirs(path) ? nil : Set(names)))
    }

    private mutating func changeThere(_ deed: Scenario.Deed) {
        switch deed {
        case .put:
            guard let path = anyOfTheirs(), let old = tree[path] else { return }
            versions[path, default: []].append(old)
            let new = text(path, large: generator.below(4) == 0)
            tree[path] = new
            operations.append(.put(path, new))
        case .putNew:
            let path = Self.join(Self.theirs, freshName())
            let new = text(path, large: false)
            tree[path] = new
            operations.append(.put(path, new))
        case .takeAway:
            guard let path = anyOfTheirs() else { return }
            tree[path] = nil
            operations.append(.takeAway(path))
        default:
            guard let path = anyOfTheirs() else { return }
            let target = Self.join(Self.theirs, freshName())
            tree[target] = tree.removeValue(forKey: path)
            versions[target] = versions.removeValue(forKey: path)
            operations.append(.moveThere(path, to: target))
        }
    }
}
