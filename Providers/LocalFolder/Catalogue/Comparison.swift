import LinuxSystem

/// A folder, and the names in it that are to be looked at.
struct ComparedFolder {
    let number: Int64
    /// `nil` for a folder that is not there and has nothing in it.
    let descriptor: FileDescriptor?
    /// The device of the served folder.
    let device: UInt64
    let names: FolderNames
    /// Whether these are all names in it.
    let isWhole: Bool

    /// What a name stands for now; `nil` for what is not served, or not there any more.
    func facts(of bytes: [UInt8]) throws -> CatalogueItem.Facts? {
        guard let descriptor, let name = FileName(bytes: bytes) else { return nil }
        do throws(Errno) {
            let (status, birth) = try descriptor.statusAndBirth(of: name)
            let target = status.kind == .symbolicLink ? try descriptor.target(ofLink: name) : []
            return CatalogueItem.Facts(status, birth: birth, device: device, target: target)
        } catch {
            guard error == .noSuchFile else { throw error }
            return nil
        }
    }
}

extension ComparedFolder {
    /// Returns the files of some names that are there.
    func files(_ range: Range<Int>) throws -> [FoundFile] {
        try range.compactMap { index in
            let name = names[index]
            return try facts(of: name).map { FoundFile(name: name, facts: $0) }
        }
    }
}

/// A name in a folder, and its file.
struct FoundFile: Sendable {
    let name: [UInt8]
    let facts: CatalogueItem.Facts
}

/// Finds out what became of each item of a folder, in the order of certainty: the same file under the same name; another file
/// in the place of one that is not there any more, which is how programs save; a file that was elsewhere and is there no
/// more; else something new.
struct Comparison {
    private let catalogue: Catalogue
    private let compared: ComparedFolder
    /// Whether the folder was never listed before. Its items are no changes then.
    private let isFirst: Bool
    /// The inodes of all items that were known before, where they are fewer than what is to be looked up among them.
    private var knownInodes: Set<UInt64>?
    /// Whether anything was known to be in the folder.
    private var hasKnown = true
    /// Items whose place is decided.
    private var decided: Set<Int64> = []
    private(set) var hasChanged = false
    /// Whether something came into the folder.
    private(set) var hasAdditions = false

    init(_ catalogue: Catalogue, _ compared: ComparedFolder, isFirst: Bool) {
        self.catalogue = catalogue
        self.compared = compared
        self.isFirst = isFirst
    }

    private var folder: Int64 { compared.number }

    mutating func run() throws {
        // What is known is looked up one by one, and what is found is looked at once more where it is not the same: all of a
        // large folder at once would be more than there is memory for.
        hasKnown = try !compared.isWhole || catalogue.hasChildren(folder)
        guard hasKnown else {
            knownInodes = try catalogue.inodes(ofAtMost: compared.names.count)
            return try addAll()
        }
        var undecided: [Int] = []
        // By the inode: when the file was made.
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
            // With another one that went.
            guard let now = try catalogue.row(number), !now.isGone, now.parent == folder else { continue }
            try catalogue.remove(now)
            hasChanged = true
        }
    }

    /// The items that were known to be where it was looked.
    private func known() throws -> [Int64] {
        if compared.isWhole { return try catalogue.childNumbers(of: folder) }
        return try (0..<compared.names.count).compactMap {
            try catalogue.row(named: compared.names[$0], in: folder)?.number
        }
    }

    /// What has no item here: one that was elsewhere, or something new.
    private mutating func add(_ name: [UInt8], _ facts: CatalogueItem.Facts) throws {
        if let item = try mover(facts) { return try place(item, name, facts) }
        let item = try catalogue.insert(name, in: folder, facts, isChange: !isFirst, mayBeTaken: hasKnown)
        if hasKnown { decided.insert(item.number) }
        if !isFirst { hasChanged = true }
        hasAdditions = true
    }

    /// Adds all files of a folder of which nothing was known.
    private mutating func addAll() throws {
        let ahead = FilesAhead.isWorthIt(for: compared) ? try? FilesAhead(of: compared) : nil
        defer { ahead?.cancel() }
        for range in FilesAhead.ranges(of: compared) {
            let files = try ahead?.next() ?? compared.files(range)
            guard isFirst else {
                for file in files { try add(file.name, file.facts) }
                continue
            }
            var new: [FoundFile] = []
            for file in files {
                if let item = try mover(file.facts) { try place(item, file.name, file.facts) } else { new.append(file) }
            }
            hasAdditions = hasAdditions || !new.isEmpty
            for start in stride(from: 0, to: new.count, by: Catalogue.mostAdditions) {
                try catalogue.insert(new[start..<min(start + Catalogue.mostAdditions, new.count)], in: folder)
            }
        }
    }

    private mutating func place(_ item: CatalogueItem, _ name: [UInt8], _ facts: CatalogueItem.Facts) throws {
        decided.insert(item.number)
        if item.isGone || item.parent != folder { hasAdditions = true }
        if item.isListed {
            // What is in a folder that was away may have changed, however deep.
            if item.isGone { catalogue.watches.lose() }
            if !item.facts.isSameFile(as: facts) { catalogue.watches.doubt(item.number) }
        }
        _ = try catalogue.place(item, name, in: folder, facts)
        hasChanged = true
    }

    /// The item that has this file, where it is not in its place any more.
    private func mover(_ facts: CatalogueItem.Facts) throws -> CatalogueItem? {
        guard facts.inode != 0, knownInodes?.contains(facts.inode) ?? true else { return nil }
        let candidates = try catalogue.database.all(
            "SELECT \(Catalogue.columns) FROM item WHERE inode = ? ORDER BY revision DESC",
            .integer(Int64(bitPattern: facts.inode)), read: Catalogue.read)
        return try candidates.first { candidate in
            guard candidate.number != CatalogueItem.root, candidate.facts.isSame(as: facts) else { return false }
            return try candidate.isGone || !catalogue.isInPlace(candidate)
        }
    }
}

extension Catalogue {
    /// Returns the inodes of all items, or `nil` where there are too many.
    func inodes(ofAtMost count: Int) throws -> Set<UInt64>? {
        let last = try database.first("SELECT MAX(number) FROM item") { $0.integer(0) } ?? 0
        guard last <= count else { return nil }
        return Set(try database.all("SELECT inode FROM item") { UInt64(bitPattern: $0.integer(0)) })
    }

    /// Whether an item's file is still where the item was seen last.
    fileprivate func isInPlace(_ item: CatalogueItem) throws -> Bool {
        guard let (folder, name) = try? place(of: item), let facts = try? facts(of: name, in: folder) else {
            return false
        }
        return facts.isSame(as: item.facts)
    }
}
