import Exchange
import FileProvider
import FileProviderEngine
import Glibc
import LinuxSystem

/// Copies out what a service does not have yet, before its domain is removed: into a folder of its own, under the names that it has
/// in the domain.
enum KeptEdits {
    /// One thing to keep.
    private struct Edit: Sendable {
        let number: ItemNumber
        /// Its folders' names and its own.
        let names: [String]
        let kind: ProviderItem.Kind
        let linkTarget: String?
    }

    /// - Returns: the folder; `nil` where there is nothing to keep. It is whole, or not there.
    static func keep(_ record: DomainRecord, _ domain: RunningDomain, _ folders: DomainFolders) async throws -> String?
    {
        try await keep(try await edits(of: domain.engine), of: record, folders)
    }

    /// How many edits a domain has that does not run.
    static func count(ofStopped record: DomainRecord, _ folders: DomainFolders) async throws -> Int {
        try await HandlerThreads.shared.value { () throws in try stoppedEdits(in: folders.folder(of: record.name)).count
        }
    }

    /// Keeps the edits of a domain that does not run, as ``keep(_:_:_:)`` does.
    static func keep(stopped record: DomainRecord, _ folders: DomainFolders) async throws -> String? {
        let edits = try await HandlerThreads.shared.value { () throws in
            try stoppedEdits(in: folders.folder(of: record.name))
        }
        return try await keep(edits, of: record, folders)
    }

    private static func keep(_ edits: [Edit], of record: DomainRecord, _ folders: DomainFolders) async throws -> String?
    {
        guard !edits.isEmpty else { return nil }
        let source = folders.folder(of: record.name) + "/edits"
        let target = folders.locations.keptEdits
        return try await HandlerThreads.shared.value { () throws in
            let (name, folder) = try makeFolder(record.name, in: target)
            do {
                let files = try FileDescriptor.open(source, [.readOnly, .directory])
                for edit in edits { try copy(edit, from: files, to: folder) }
                try folder.synchronize()
            } catch {
                if let own = FileName(name), let parent = try? FileDescriptor.open(target, [.readOnly, .directory]) {
                    try? TreeRemover.remove(own, in: parent)
                }
                throw DomainFailure("the edits of \(record.name) cannot be copied to \(target): \(error)")
            }
            return target + "/" + name
        }
    }

    private static func edits(of engine: DomainEngine) async throws -> [Edit] {
        var edits: [Edit] = []
        for item in try await engine.editStatus().items
        where !item.changes.isDisjoint(with: [.contents, .created]) && !item.changes.contains(.deleted) {
            guard let row = try engine.index.item(item.number) else { continue }
            edits.append(
                Edit(
                    number: row.number, names: try names(of: row, in: engine.index), kind: row.item.kind,
                    linkTarget: row.item.linkTarget))
        }
        return edits
    }

    /// What the journal and the files of edits tell without an index: the folders that it knows no names of are left out.
    private static func stoppedEdits(in folder: String) throws -> [Edit] {
        var entries: [ItemNumber: JournalEntry] = [:]
        // One that cannot be read says nothing: then there are the files.
        if (try? FileStatus.of(folder + "/journal.db")) != nil, let journal = try? Journal(path: folder + "/journal.db")
        {
            for entry in try journal.all() { entries[entry.number] = entry }
        }
        var files: Set<ItemNumber> = []
        if let edits = try? FileDescriptor.open(folder + "/edits", [.readOnly, .directory]) {
            files = Set(try edits.entries().compactMap { Int64($0.name.description).map(ItemNumber.init(rawValue:)) })
        }
        var taken: Set<[String]> = []
        func free(_ names: [String], _ number: ItemNumber) -> [String] {
            if taken.insert(names).inserted { return names }
            let other = names.dropLast() + ["\(names.last ?? "") (\(number.rawValue))"]
            taken.insert(Array(other))
            return Array(other)
        }
        var found: [Edit] = []
        for entry in entries.values.sorted(by: { $0.number.rawValue < $1.number.rawValue })
        where !entry.changes.contains(.deleted) {
            let isNew = entry.kind != .file && entry.changes.contains(.created)
            guard files.remove(entry.number) != nil || isNew else { continue }
            var names = [entry.name]
            var above = entries[entry.parent]
            while let parent = above, names.count < 4096 {
                names.insert(parent.name, at: 0)
                above = entries[parent.parent]
            }
            let isFolder = entry.kind == .folder
            found.append(
                Edit(
                    number: entry.number, names: isFolder ? names : free(names, entry.number), kind: entry.kind,
                    linkTarget: entry.linkTarget))
        }
        for number in files.sorted(by: { $0.rawValue < $1.rawValue }) {
            let names = free(["File \(number.rawValue)"], number)
            found.append(Edit(number: number, names: names, kind: .file, linkTarget: nil))
        }
        return found
    }

    private static func names(of item: IndexedItem, in index: Index) throws -> [String] {
        var names = [item.name]
        var parent = item.parent
        // No path is longer.
        while parent != .root, names.count < 4096, let folder = try index.itemEvenIfDeleted(parent) {
            names.insert(folder.name, at: 0)
            parent = folder.parent
        }
        return names
    }

    /// A folder of a name that nothing has yet.
    private static func makeFolder(_ name: String, in parent: String) throws -> (String, FileDescriptor) {
        if mkdir(parent, 0o700) != 0, Errno.current != .fileExists { throw Errno.current }
        for number in 1..<10_000 {
            let own = number == 1 ? name : "\(name) \(number)"
            if mkdir(parent + "/" + own, 0o700) == 0 {
                return (own, try .open(parent + "/" + own, [.readOnly, .directory]))
            }
            guard Errno.current == .fileExists else { throw Errno.current }
        }
        throw Errno.fileExists
    }

    private static func copy(_ edit: Edit, from files: FileDescriptor, to folder: FileDescriptor) throws {
        var folder = folder
        var names = edit.names.compactMap { FileName($0) }
        guard let last = names.popLast() else { return }
        for name in names { folder = try Self.folder(name, in: folder) }
        switch edit.kind {
        case .folder: _ = try Self.folder(last, in: folder)
        case .symbolicLink: try folder.makeLink(last, target: Array((edit.linkTarget ?? "").utf8))
        case .file:
            let source = try files.open("\(edit.number.rawValue)", [.readOnly, .noFollow])
            try FileCopier.copy(source, into: folder, named: last.description)
            try folder.open(entry: last, [.readOnly]).synchronize()
        }
    }

    private static func folder(_ name: FileName, in parent: FileDescriptor) throws(Errno) -> FileDescriptor {
        do throws(Errno) {
            try parent.makeDirectory(name, permissions: 0o700)
        } catch .fileExists {}
        return try parent.open(entry: name, [.readOnly, .directory])
    }
}
