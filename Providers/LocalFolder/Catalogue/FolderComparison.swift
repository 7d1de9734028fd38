import SQLite

/// Compares a directory with its items in the catalogue.
///
/// The first rule that applies determines the item of a file:
/// 1. the item of the same name, if its file is the same file,
/// 2. the item of the same name, if its file does not exist any more, as when a program saves by renaming a new file,
/// 3. the item at another place, if its file was moved away from there,
/// 4. a new item.
struct FolderComparison {
    private let catalogue: Catalogue
    private let compared: ComparedFolder
    /// Whether the directory was never listed before. If so, its items do not count as changes.
    private let isFirst: Bool
    /// The inodes of all earlier items; `nil` if they were not read, for example because there are more items than
    /// names to compare.
    private var knownInodes: Set<UInt64>?
    /// Whether the catalogue may have items with the compared names.
    private var hasKnown = true
    /// The numbers of the items that were assigned to a file.
    private var decided: Set<Int64> = []
    private(set) var hasChanged = false
    /// Whether an item was added to the directory.
    private(set) var hasAdditions = false

    init(_ catalogue: Catalogue, _ compared: ComparedFolder, isFirst: Bool) {
        self.catalogue = catalogue
        self.compared = compared
        self.isFirst = isFirst
    }

    private var folder: Int64 { compared.number }

    mutating func run() throws {
        // All rows of a large directory would need too much memory. Therefore rows are looked up one by one, and the
        // status of a file that differs from its row is read twice.
        hasKnown = try !compared.isWhole || catalogue.hasChildren(folder)
        guard hasKnown else {
            if !isFirst { knownInodes = try catalogue.inodes(ofAtMost: compared.names.count) }
            return try addAll()
        }
        var undecided: [Int] = []
        // The birth times of the undecided files, by inode.
        var files: [UInt64: Int64] = [:]
        for index in 0..<compared.names.count {
            let name = compared.names[index]
            guard let facts = try compared.facts(of: name) else { continue }
            guard let item = try catalogue.row(named: name, in: folder), item.facts.kind == facts.kind,
                item.facts.isSameFile(as: facts)
            else {
                undecided.append(index)
                files[facts.inode] = facts.birth
                continue
            }
            if item.facts == facts { decided.insert(item.number) } else { try place(item, name, facts) }
        }
        for index in undecided {
            let name = compared.names[index]
            guard let facts = try compared.facts(of: name) else { continue }
            if let item = try catalogue.row(named: name, in: folder), item.facts.kind == facts.kind,
                !item.facts.isFile(among: files), !decided.contains(item.number)
            {
                try place(item, name, facts)
            } else {
                try add(name, facts)
            }
        }
        for number in try known() where !decided.contains(number) {
            // An earlier step may have removed or moved the item already.
            guard let now = try catalogue.row(number), !now.isGone, now.parent == folder else { continue }
            try catalogue.remove(now)
            hasChanged = true
        }
    }

    /// Returns the numbers of the catalogue's items that have one of the compared names.
    private func known() throws -> [Int64] {
        if compared.isWhole { return try catalogue.childNumbers(of: folder) }
        return try (0..<compared.names.count).compactMap {
            try catalogue.row(named: compared.names[$0], in: folder)?.number
        }
    }

    /// Adds a file that is not an item of this directory yet. If the file was an item in another place, moves this
    /// item; otherwise creates a new item.
    private mutating func add(_ name: [UInt8], _ facts: CatalogueItem.Facts) throws {
        let earlier = try catalogue.earlier(facts, among: knownInodes)
        if let item = earlier.moved { return try place(item, name, facts) }
        let file = FoundFile(name: name, facts: facts, contents: earlier.contents)
        let item = try catalogue.insert(file, in: folder, isChange: !isFirst, mayBeTaken: hasKnown)
        if hasKnown { decided.insert(item.number) }
        if !isFirst { hasChanged = true }
        hasAdditions = true
    }

    /// Adds all files of a directory of which the catalogue has no items.
    private mutating func addAll() throws {
        if isFirst { return try listFirst() }
        let ahead = FilesAhead.isWorthIt(for: compared) ? try? FilesAhead(of: compared) : nil
        defer { ahead?.cancel() }
        for range in FilesAhead.ranges(of: compared) {
            for file in try ahead?.next() ?? compared.files(range) { try add(file.name, file.facts) }
        }
    }

    private mutating func listFirst() throws {
        let listing = try FirstListing(of: compared, in: catalogue)
        while !listing.isAdded {
            try listing.add(Catalogue.portion, to: catalogue)
            _ = listing.take()
        }
        hasChanged = listing.hasMoved
        hasAdditions = listing.hasAdditions
    }

    private mutating func place(_ item: CatalogueItem, _ name: [UInt8], _ facts: CatalogueItem.Facts) throws {
        decided.insert(item.number)
        if item.isGone || item.parent != folder { hasAdditions = true }
        _ = try catalogue.adopt(item, name, in: folder, facts)
        hasChanged = true
    }
}

extension Catalogue {
    /// Returns the inodes of all items; `nil` if the catalogue has more than `count` items.
    func inodes(ofAtMost count: Int) throws -> Set<UInt64>? {
        let last = try database.first("SELECT MAX(number) FROM item") { $0.integer(0) } ?? 0
        guard last <= count else { return nil }
        return Set(try database.all("SELECT inode FROM item") { UInt64(bitPattern: $0.integer(0)) })
    }

    /// Searches the earlier items for a file's inode number.
    ///
    /// - Parameter inodes: the inodes of all earlier items; `nil` if they are not known.
    /// - Returns: the item to which the file belongs, if the file was moved from the item's place; and the value of
    ///   ``CatalogueItem/contents`` for a new item of the file. If another file had the inode number earlier, this
    ///   value makes the versions of the two files differ, because both may have the same size and date.
    func earlier(
        _ facts: CatalogueItem.Facts, among inodes: Set<UInt64>? = nil
    ) throws -> (moved: CatalogueItem?, contents: Int64) {
        guard facts.inode != 0, inodes?.contains(facts.inode) ?? true else { return (nil, 0) }
        let candidates = try database.all(
            "SELECT \(Self.columns) FROM item WHERE inode = ? ORDER BY revision DESC",
            .integer(Int64(bitPattern: facts.inode)), read: Self.read)
        let moved = try candidates.first { candidate in
            guard candidate.number != CatalogueItem.root, candidate.facts.isSame(as: facts) else { return false }
            return try candidate.isGone || !isInPlace(candidate)
        }
        let isReused = candidates.contains { facts.birth == 0 || $0.facts.birth != facts.birth }
        return (moved, isReused ? (facts.birth != 0 ? facts.birth : facts.changed) : 0)
    }

    /// Sets the place and attributes of a known item whose file a scan has found in a directory.
    func adopt(
        _ item: CatalogueItem, _ name: [UInt8], in folder: Int64, _ facts: CatalogueItem.Facts
    ) throws -> CatalogueItem {
        if item.isListed {
            // The contents of a directory that exists again may have changed at any depth.
            if item.isGone { watches.lose() }
            if !item.facts.isSameFile(as: facts) { watches.doubt(item.number) }
        }
        return try place(item, name, in: folder, facts)
    }

    /// Whether an item's file is still at the item's last known place.
    fileprivate func isInPlace(_ item: CatalogueItem) throws -> Bool {
        guard let (folder, name) = try? place(of: item), let facts = try? facts(of: name, in: folder) else {
            return false
        }
        return facts.isSame(as: item.facts)
    }
}
