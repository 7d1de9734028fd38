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
            (facts.inode, facts.birth) = (known.facts.inode, known.facts.birth)
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
            guard facts.isSameFile(as: known.facts) else { return nil }
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

    /// The number of an item that is there, or was.
    func lastNumber(of identifier: String) throws -> Int64 {
        guard let number = number(of: identifier) else { throw FolderFailure.noSuchItem }
        return number
    }

    /// The name, and the folder that an item is or was in last, with the root for what would be lost with that.
    func lastPlace(of identifier: String) throws -> (name: String, parents: [String]) {
        guard let number = number(of: identifier), let item = try row(number) else { throw FolderFailure.noSuchItem }
        return (item.filename, [item.parent, CatalogueItem.root].map { self.identifier(of: $0) })
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

    func hasChildren(_ folder: Int64) throws -> Bool {
        try database.first(
            "SELECT 1 FROM item WHERE parent = ? AND gone = 0 LIMIT 1", .integer(folder), read: { _ in true }) ?? false
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
        let news = isForNews && item.isListed ? try news(in: folder) : nil
        let compared = try news ?? all(in: folder)
        if compared.names.isEmpty, !compared.isWhole { return Comparison(self, compared, isFirst: false) }
        return try database.transaction {
            if !item.isListed {
                try database.run("UPDATE item SET listed = 1 WHERE number = ?", .integer(folder))
            }
            var comparison = Comparison(self, compared, isFirst: !item.isListed)
            try comparison.run()
            return comparison
        }
    }
}

extension Catalogue {
    private func all(in folder: Int64) throws -> ComparedFolder {
        let descriptor: FileDescriptor
        do {
            descriptor = try openFolder(folder)
        } catch let error as Errno where error == .noSuchFile && folder == CatalogueItem.trash {
            // Nothing was put into it yet, or somebody has done away with it.
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

    /// The names that the kernel told of; `nil` where the whole folder is to be looked at.
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
