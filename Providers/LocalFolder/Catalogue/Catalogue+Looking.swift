import LinuxSystem

extension Catalogue {
    /// An item as it is now, by its identifier.
    package func item(_ identifier: String) throws -> CatalogueItem {
        guard let number = number(of: identifier), let known = try row(number) else { throw FolderFailure.noSuchItem }
        if number == CatalogueItem.root {
            let status = try openRoot().status()
            guard var facts = CatalogueItem.Facts(status, device: status.identity.device) else {
                throw FolderFailure.wrongKind
            }
            facts.inode = known.facts.inode
            return facts == known.facts ? known : try place(known, [], in: 0, facts)
        }
        if let item = try refreshed(known) { return item }
        // Somebody moved it: a look at the folder that it was in tells, or one at all of them.
        _ = try? lookAt(known.parent)
        if let moved = try row(number), let item = try refreshed(moved) { return item }
        _ = try lookAtAll()
        guard let moved = try row(number), let item = try refreshed(moved) else { throw FolderFailure.noSuchItem }
        return item
    }

    /// The item with the facts of this moment, `nil` where something else or nothing is in its place.
    private func refreshed(_ known: CatalogueItem) throws -> CatalogueItem? {
        guard !known.isGone else { return nil }
        do {
            let (folder, name) = try place(of: known)
            guard let facts = try facts(of: name, in: folder), facts.kind == known.facts.kind else { return nil }
            if facts == known.facts { return known }
            // Another file in its place may be another item: a look at the whole folder tells.
            guard facts.inode == known.facts.inode else { return nil }
            return try place(known, known.name, in: known.parent, facts)
        } catch let error as Errno where error == .noSuchFile || error == .notDirectory {
            return nil
        } catch FolderFailure.noSuchItem {
            return nil
        }
    }

    /// The identifier of an item. It says which catalogue it is of, so that it means nothing to another one.
    package func identifier(of number: Int64) -> String { Self.identifier(of: number, stamp: stamp) }

    static func identifier(of number: Int64, stamp: String) -> String { "\(stamp).\(number)" }

    /// The name that an item has or had last, whether it is there or not; the root has none.
    func lastName(of identifier: String) throws -> String {
        guard let number = number(of: identifier), let item = try row(number) else { throw FolderFailure.noSuchItem }
        return number == CatalogueItem.root ? "root" : item.filename
    }

    func number(of identifier: String) -> Int64? {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == stamp, let number = Int64(parts[1]), number > 0 else { return nil }
        return number
    }

    /// Items of a folder that was looked at, in an order that stays.
    package func children(of folder: Int64, after number: Int64, limit: Int) throws -> [CatalogueItem] {
        try database.all(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND number > ? AND gone = 0 ORDER BY number LIMIT ?",
            .integer(folder), .integer(number), .integer(Int64(limit)), read: Self.read)
    }

    func childNumbers(of folder: Int64) throws -> [Int64] {
        try database.all("SELECT number FROM item WHERE parent = ? AND gone = 0", .integer(folder)) { $0.integer(0) }
    }

    package func childCount(of folder: Int64) throws -> Int {
        Int(
            try database.first(
                "SELECT COUNT(*) FROM item WHERE parent = ? AND gone = 0", .integer(folder), read: { $0.integer(0) })
                ?? 0)
    }

    /// Looks at every folder that was ever listed, and tells whether anything was found to have changed.
    package func lookAtAll() throws -> Bool {
        watches.lose()
        return try lookAtNews()
    }

    /// Looks at every folder that may have changed since it was looked at, and tells whether anything was found to have changed.
    package func lookAtNews() throws -> Bool {
        try watches.look(listed: { () throws(any Error) in try listedFolders() }, at: lookIfThere)
    }

    /// The same for one folder.
    package func lookAtNews(in folder: Int64) throws {
        if watches.isDoubtful(folder) { try look(at: folder, isForNews: true) }
    }

    /// Of a folder that went with the one that it was in, nothing has changed.
    func lookIfThere(_ folder: Int64) throws -> Bool {
        do {
            return try look(at: folder, isForNews: true)
        } catch FolderFailure.noSuchItem {
            return false
        } catch let error as Errno where error == .noSuchFile || error == .notDirectory {
            return false
        }
    }

    package func listedFolders() throws -> [Int64] {
        try database.all("SELECT number FROM item WHERE listed = 1 AND gone = 0 ORDER BY number") { $0.integer(0) }
    }

    /// Compares a folder with what is known of it. Returns whether anything has changed.
    @discardableResult
    package func lookAt(_ folder: Int64) throws -> Bool { try look(at: folder, isForNews: false) }

    /// - Parameter isForNews: to look at no more than what may have changed since the last look.
    @discardableResult
    private func look(at folder: Int64, isForNews: Bool) throws -> Bool {
        let hasChanged = try compare(folder, isForNews: isForNews).hasChanged
        // Its date is another one by what happened in it, and the folder that it is in has no news of that.
        guard folder > CatalogueItem.root, let known = try row(folder), let now = try refreshed(known) else {
            return hasChanged
        }
        return now.facts != known.facts || hasChanged
    }

    /// Whether anything is in a folder that was not known to be there.
    func hasUnknown(_ folder: Int64) throws -> Bool { try compare(folder, isForNews: false).hasAdditions }

    private func compare(_ folder: Int64, isForNews: Bool) throws -> Comparison {
        do {
            return try compareNow(folder, isForNews: isForNews)
        } catch {
            switch error {
            case FolderFailure.noSuchItem, FolderFailure.wrongKind: watches.forget(folder)
            default: watches.miss(folder)
            }
            throw error
        }
    }

    private func compareNow(_ folder: Int64, isForNews: Bool) throws -> Comparison {
        guard let item = try row(folder), !item.isGone else { throw FolderFailure.noSuchItem }
        guard item.facts.kind == .folder else { throw FolderFailure.wrongKind }
        if isForNews, item.isListed, let news = try foundNews(in: folder) {
            if news.names.isEmpty { return Comparison(self, folder, [], among: []) }
            return try database.transaction {
                var comparison = Comparison(self, folder, news.found, among: news.names)
                try comparison.run()
                return comparison
            }
        }
        let found = try found(in: folder)
        return try database.transaction {
            if !item.isListed {
                try database.run("UPDATE item SET listed = 1 WHERE number = ?", .integer(folder))
            }
            var comparison = Comparison(self, folder, found, among: nil)
            try comparison.run()
            return comparison
        }
    }
}

extension Catalogue {
    fileprivate func found(in folder: Int64) throws -> [FoundEntry] {
        let descriptor: FileDescriptor
        do {
            descriptor = try openFolder(folder)
        } catch let error as Errno where error == .noSuchFile && folder == CatalogueItem.trash {
            // Nothing was put into it yet, or somebody has done away with it.
            watches.forget(folder)
            return []
        }
        watches.willLook(at: folder, descriptor)
        let found = try FoundEntry.all(in: descriptor, device: try openRoot().status().identity.device)
        return folder == CatalogueItem.root ? found.filter { !Self.isTrash($0.name) } : found
    }

    /// What the names stand for that the kernel told of; `nil` where the whole folder is to be looked at.
    fileprivate func foundNews(in folder: Int64) throws -> (found: [FoundEntry], names: Set<FileName>)? {
        guard let descriptor = try? openFolder(folder),
            let told = watches.namesToLook(at: folder, descriptor)
        else { return nil }
        let names = told.filter {
            !TemporaryName.isTemporary($0) && !(folder == CatalogueItem.root && Self.isTrash(Array($0.bytes)))
        }
        let device = try openRoot().status().identity.device
        // In an order that is the same each time.
        return (try names.sorted().compactMap { try FoundEntry($0, in: descriptor, device: device) }, names)
    }
}

/// What a folder was found to hold under one name. There may be a million of them, so nothing is kept twice.
struct FoundEntry {
    private let entry: FileName
    let facts: CatalogueItem.Facts

    var name: [UInt8] { Array(entry.bytes) }

    /// `nil` for what is not served, or not there any more.
    init?(_ name: FileName, in folder: FileDescriptor, device: UInt64) throws {
        do throws(Errno) {
            let status = try folder.status(of: name)
            let target = status.kind == .symbolicLink ? try folder.target(ofLink: name) : []
            guard let facts = CatalogueItem.Facts(status, device: device, target: target) else { return nil }
            (entry, self.facts) = (name, facts)
        } catch {
            guard error == .noSuchFile else { throw error }
            return nil
        }
    }

    static func all(in folder: FileDescriptor, device: UInt64) throws -> [FoundEntry] {
        var found: [FoundEntry] = []
        var hasLeftovers = false
        for entry in try folder.entries() {
            if TemporaryName.isTemporary(entry.name) {
                hasLeftovers = true
                continue
            }
            if let entry = try FoundEntry(entry.name, in: folder, device: device) { found.append(entry) }
        }
        // Of a process that was killed in the middle of writing; what is being written now is left alone.
        if hasLeftovers { TemporaryName.sweep(folder) }
        return found
    }
}

/// Finds out what became of each item of a folder, in the order of certainty: the same file under the same name; another file
/// in the place of one that is not there any more, which is how programs save; a file that was elsewhere and is there no
/// more; else something new.
private struct Comparison {
    private let catalogue: Catalogue
    private let folder: Int64
    private let found: [FoundEntry]
    /// Where not all of the folder was looked at: the names that were.
    private let names: Set<FileName>?
    /// Items whose place is decided.
    private var decided: Set<Int64> = []
    private(set) var hasChanged = false
    /// Whether something came into the folder.
    private(set) var hasAdditions = false

    /// - Parameter names: those that were looked at; `nil` for all.
    init(_ catalogue: Catalogue, _ folder: Int64, _ found: [FoundEntry], among names: Set<FileName>?) {
        self.catalogue = catalogue
        self.folder = folder
        self.found = found
        self.names = names
    }

    mutating func run() throws {
        // What is known is looked up one by one: all of a large folder at once would be more than there is memory for.
        var undecided: [Int] = []
        for (index, entry) in found.enumerated() {
            guard let item = try catalogue.row(named: entry.name, in: folder), item.facts.kind == entry.facts.kind,
                item.facts.inode == entry.facts.inode
            else {
                undecided.append(index)
                continue
            }
            if item.facts == entry.facts { decided.insert(item.number) } else { try place(item, entry) }
        }
        let inodes = Set(undecided.lazy.map { [found] in found[$0].facts.inode })
        for index in undecided {
            let entry = found[index]
            if let item = try catalogue.row(named: entry.name, in: folder), item.facts.kind == entry.facts.kind,
                !inodes.contains(item.facts.inode), !decided.contains(item.number)
            {
                try place(item, entry)
            } else if let item = try mover(entry) {
                try place(item, entry)
            } else {
                decided.insert(try catalogue.insert(entry.name, in: folder, entry.facts).number)
                hasChanged = true
                hasAdditions = true
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
        guard let names else { return try catalogue.childNumbers(of: folder) }
        return try names.compactMap { try catalogue.row(named: Array($0.bytes), in: folder)?.number }
    }

    private mutating func place(_ item: CatalogueItem, _ entry: FoundEntry) throws {
        decided.insert(item.number)
        if item.isGone || item.parent != folder { hasAdditions = true }
        if item.isListed {
            // What is in a folder that was away may have changed, however deep.
            if item.isGone { catalogue.watches.lose() }
            if item.facts.inode != entry.facts.inode { catalogue.watches.doubt(item.number) }
        }
        _ = try catalogue.place(item, entry.name, in: folder, entry.facts)
        hasChanged = true
    }

    /// The item that has this file, where it is not in its place any more.
    private func mover(_ entry: FoundEntry) throws -> CatalogueItem? {
        guard entry.facts.inode != 0 else { return nil }
        let candidates = try catalogue.database.all(
            "SELECT \(Catalogue.columns) FROM item WHERE inode = ? ORDER BY revision DESC",
            .integer(Int64(bitPattern: entry.facts.inode)), read: Catalogue.read)
        return try candidates.first { candidate in
            guard candidate.number != CatalogueItem.root, candidate.facts.isSame(as: entry.facts) else { return false }
            return try candidate.isGone || !catalogue.isInPlace(candidate)
        }
    }
}

extension Catalogue {
    /// Whether an item's file is still where the item was seen last.
    fileprivate func isInPlace(_ item: CatalogueItem) throws -> Bool {
        guard let (folder, name) = try? place(of: item), let facts = try? facts(of: name, in: folder) else {
            return false
        }
        return facts.isSame(as: item.facts)
    }
}
