import LinuxSystem
import SQLite

extension Catalogue {
    /// The items that the scan in progress has removed. The scan may find them in other directories, if their files
    /// were moved there.
    final class Removals {
        var numbers: Set<Int64> = []

        /// The maximum number of recorded items, which bounds the memory.
        private static let most = 10_000

        func add(_ number: Int64) {
            if numbers.count < Self.most { numbers.insert(number) }
        }
    }
}

extension Catalogue {
    /// Returns the item with the given identifier, with its current attributes.
    package func item(_ identifier: String) throws -> CatalogueItem {
        guard let number = number(of: identifier), let known = try row(number) else { throw FolderError.noSuchItem }
        if number == CatalogueItem.root {
            let status = try openRoot().status()
            guard var facts = CatalogueItem.Facts(status, device: status.identity.device) else {
                throw FolderError.wrongKind
            }
            (facts.inode, facts.birth) = (known.facts.inode, known.facts.birth)
            return facts == known.facts ? known : try place(known, [], in: 0, facts)
        }
        if let item = try refreshed(known) { return item }
        // Another program moved the item. A scan of its former directory may find it, or else a scan of all
        // directories.
        _ = try? lookAt(known.parent)
        if let moved = try row(number), let item = try refreshed(moved) { return item }
        _ = try lookAtAll()
        guard let moved = try row(number), let item = try refreshed(moved) else { throw FolderError.noSuchItem }
        return item
    }

    /// Returns the item with its current attributes. Returns `nil` if there is no file at the item's place, or the file
    /// belongs to another item.
    private func refreshed(_ known: CatalogueItem) throws -> CatalogueItem? {
        guard !known.isGone else { return nil }
        do {
            let (folder, name) = try place(of: known)
            guard let facts = try facts(of: name, in: folder), facts.kind == known.facts.kind else { return nil }
            if facts == known.facts { return known }
            // A different file at its place may be a different item. Only a scan of the whole directory can decide
            // this.
            guard facts.isSameFile(as: known.facts) else { return nil }
            return try place(known, known.name, in: known.parent, facts)
        } catch let error as Errno where error == .noSuchFile || error == .notDirectory {
            return nil
        } catch FolderError.noSuchItem {
            return nil
        }
    }

    /// Returns the identifier of an item. It contains the catalogue's stamp, so that another catalogue does not
    /// recognize it.
    package func identifier(of number: Int64) -> String { Self.identifier(of: number, stamp: stamp) }

    static func identifier(of number: Int64, stamp: String) -> String { "\(stamp).\(number)" }

    /// Returns the name of an item, or its last name if the item does not exist any more. The root has no name.
    func lastName(of identifier: String) throws -> String {
        guard let number = number(of: identifier), let item = try row(number) else { throw FolderError.noSuchItem }
        return number == CatalogueItem.root ? "root" : item.filename
    }

    /// Returns the number of an item that exists or existed.
    func lastNumber(of identifier: String) throws -> Int64 {
        guard let number = number(of: identifier) else { throw FolderError.noSuchItem }
        return number
    }

    /// Returns an item's name, and the identifiers of its current or last directory and of the root. Callers use the
    /// root if that directory does not exist any more.
    func lastPlace(of identifier: String) throws -> (name: String, parents: [String]) {
        guard let number = number(of: identifier), let item = try row(number) else { throw FolderError.noSuchItem }
        return (item.filename, [item.parent, CatalogueItem.root].map { self.identifier(of: $0) })
    }

    func number(of identifier: String) -> Int64? {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == stamp, let number = Int64(parts[1]), number > 0 else { return nil }
        return number
    }

    /// Returns items of a directory that was scanned, in the order of their names.
    ///
    /// - Parameter name: the name after which the items begin; empty to begin with the first item.
    package func children(of folder: Int64, after name: [UInt8] = [], limit: Int = .max) throws -> [CatalogueItem] {
        try database.all(
            "SELECT \(Self.columns) FROM item WHERE parent = ? AND name > ? AND gone = 0 ORDER BY name LIMIT ?",
            .integer(folder), .bytes(name), .integer(Int64(limit)), read: Self.read)
    }

    func childNumbers(of folder: Int64) throws -> [Int64] {
        try database.all("SELECT number FROM item WHERE parent = ? AND gone = 0", .integer(folder)) { $0.integer(0) }
    }

    /// Whether a directory has an item whose name follows a given name.
    func hasChildren(_ folder: Int64, after name: [UInt8] = []) throws -> Bool {
        try database.first(
            "SELECT 1 FROM item WHERE parent = ? AND name > ? AND gone = 0 LIMIT 1", .integer(folder), .bytes(name),
            read: { _ in true }) ?? false
    }

    package func childCount(of folder: Int64) throws -> Int {
        Int(
            try database.first(
                "SELECT COUNT(*) FROM item WHERE parent = ? AND gone = 0", .integer(folder), read: { $0.integer(0) })
                ?? 0)
    }

    /// Scans every directory that was ever listed. Returns whether anything has changed.
    package func lookAtAll() throws -> Bool {
        watches.lose()
        return try lookAtNews()
    }

    /// Scans every directory that may have changed since its last scan. Returns whether anything has changed.
    package func lookAtNews() throws -> Bool {
        defer { removals.numbers = [] }
        return try watches.look(listed: { () throws(any Error) in try listedFolders() }, at: lookIfThere)
    }

    /// Scans one directory if it may have changed since its last scan.
    package func lookAtNews(in folder: Int64) throws {
        if watches.isDoubtful(folder) { try look(at: folder, for: .news) }
    }

    /// Scans a directory. If the directory was removed together with its parent, the directory counts as unchanged.
    func lookIfThere(_ folder: Int64) throws -> Bool {
        do {
            return try look(at: folder, for: .news)
        } catch FolderError.noSuchItem {
            return false
        } catch let error as Errno where error == .noSuchFile || error == .notDirectory {
            return false
        }
    }

    package func listedFolders() throws -> [Int64] {
        try database.all("SELECT number FROM item WHERE listed = 1 AND gone = 0 ORDER BY number") { $0.integer(0) }
    }

    /// Compares a directory with its rows in the catalogue. Returns whether anything has changed.
    @discardableResult
    package func lookAt(_ folder: Int64) throws -> Bool { try look(at: folder, for: .all) }

    /// Compares a directory with its rows in the catalogue before the first page of its listing is returned. If a large
    /// directory is listed for the first time, only begins the comparison.
    func lookForPages(of folder: Int64) throws { try look(at: folder, for: .pages) }

    private enum Purpose {
        case all
        /// Only items that may have changed since the last scan are compared.
        case news
        case pages
    }

    /// Compares a directory with its rows.
    @discardableResult
    private func look(at folder: Int64, for purpose: Purpose) throws -> Bool {
        let hasChanged = try compare(folder, for: purpose).hasChanged
        // A change in the directory also changes the directory's own date. Updating the date now saves a scan of the
        // parent directory.
        guard folder > CatalogueItem.root, let known = try row(folder), let now = try refreshed(known) else {
            return hasChanged
        }
        return now.facts != known.facts || hasChanged
    }

    /// Whether a directory contains items that the catalogue did not know.
    func hasUnknown(_ folder: Int64) throws -> Bool {
        let isBeingListed = isListing(folder)
        return try compare(folder, for: .all).hasAdditions || isBeingListed
    }

    private func compare(_ folder: Int64, for purpose: Purpose) throws -> FolderComparison {
        do {
            return try compareNow(folder, for: purpose)
        } catch {
            noteFailure(of: folder, error)
            throw error
        }
    }

    /// Records that a directory could not be scanned.
    func noteFailure(of folder: Int64, _ error: any Error) {
        switch error {
        case FolderError.noSuchItem, FolderError.wrongKind: watches.forget(folder)
        default: watches.miss(folder)
        }
    }

    private func compareNow(_ folder: Int64, for purpose: Purpose) throws -> FolderComparison {
        try endListing(of: folder)
        guard let item = try row(folder), !item.isGone else { throw FolderError.noSuchItem }
        guard item.facts.kind == .folder else { throw FolderError.wrongKind }
        let news = purpose == .news && item.isListed ? try news(in: folder) : nil
        let compared = try news ?? all(in: folder)
        if compared.names.isEmpty, !compared.isWhole { return FolderComparison(self, compared, isFirst: false) }
        if purpose == .pages, !item.isListed, FilesAhead.isWorthIt(for: compared), try !hasChildren(folder) {
            try beginListing(of: compared)
            return FolderComparison(self, compared, isFirst: true)
        }
        return try database.transaction {
            if !item.isListed { try noteListed(folder) }
            var comparison = FolderComparison(self, compared, isFirst: !item.isListed)
            try comparison.run()
            if compared.isWhole { watches.didLook(at: folder) }
            return comparison
        }
    }

    func noteListed(_ folder: Int64) throws {
        try database.run("UPDATE item SET listed = 1 WHERE number = ?", .integer(folder))
    }
}

extension Catalogue {
    private func all(in folder: Int64) throws -> ComparedFolder {
        let descriptor: FileDescriptor
        do {
            descriptor = try openFolder(folder)
        } catch let error as Errno where error == .noSuchFile && folder == CatalogueItem.trash {
            // No item was ever put into the trash, or another program has removed the trash.
            watches.forget(folder)
            return ComparedFolder(number: folder, descriptor: nil, device: 0, names: FolderNames([]), isWhole: true)
        }
        watches.willLook(at: folder, descriptor)
        let unserved = try unservedNames(in: folder, descriptor)
        let names = try FolderNames(in: descriptor) {
            !unserved.contains($0) && isServed($0, in: folder, descriptor)
        }
        return ComparedFolder(
            number: folder, descriptor: descriptor, device: try device(), names: names, isWhole: true)
    }

    /// Returns the directory with the names that the kernel reported as changed, or `nil` if the whole directory must
    /// be scanned.
    private func news(in folder: Int64) throws -> ComparedFolder? {
        guard let descriptor = try? openFolder(folder), let told = watches.namesToLook(at: folder, descriptor)
        else { return nil }
        let unserved = try unservedNames(in: folder, descriptor)
        let names = FolderNames(told.filter { !unserved.contains($0) && isServed($0, in: folder, descriptor) })
        return ComparedFolder(
            number: folder, descriptor: descriptor, device: try device(), names: names, isWhole: false)
    }

    private func isServed(_ name: FileName, in folder: Int64, _ descriptor: FileDescriptor) -> Bool {
        folder != CatalogueItem.root || !TrashFolder.isTrash(name, in: descriptor)
    }

    private func device() throws -> UInt64 { try openRoot().status().identity.device }
}
