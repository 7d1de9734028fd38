import DomainMessages
import Exchange
import FileProviderEngine
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Preserves edits that are not uploaded yet before a domain is removed. The edits are copied to a new directory, under
/// their names in the domain.
enum EditRescue {
    /// One edit to copy.
    private struct Edit: Sendable {
        let number: ItemNumber
        /// The names of the item's directories and of the item.
        let names: [String]
        let kind: ProviderItem.Kind
        let linkTarget: String?
    }

    /// Copies the edits of a running domain.
    ///
    /// - Returns: The path of the directory with the copies; `nil` if there are no edits. If copying fails, the
    ///   directory is removed.
    static func keep(_ record: DomainRecord, _ domain: RunningDomain, _ folders: DomainFolders) async throws -> String?
    {
        try await keep(try await edits(of: domain.engine), of: record, folders)
    }

    /// Copies the edits of a domain that does not run.
    ///
    /// - Parameter isWanted: Whether to copy the edits. If `false`, the function throws if edits exist.
    static func keepOfStopped(_ record: DomainRecord, _ folders: DomainFolders, isWanted: Bool) async throws -> String?
    {
        let data = folders.folder(of: record.name)
        let (edits, count) = await HandlerThreads.shared.value { unsent(in: data) }
        if !isWanted { try refuse(record, count: count) }
        return try await keep(edits, of: record, folders)
    }

    /// Throws if the domain has edits.
    static func refuse(_ record: DomainRecord, count: Int) throws(DomainError) {
        guard count > 0 else { return }
        throw DomainError(
            "\(record.name) has \(count == 1 ? "an edit" : "\(count) edits") that the service does not have: "
                + "wait until 'purvey status' shows none, or give --keep-edits", .hasEdits)
    }

    private static func keep(
        _ edits: [Edit], of record: DomainRecord, _ folders: DomainFolders
    ) async throws -> String? {
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
                throw DomainError("the edits of \(record.name) cannot be copied to \(target): \(error)")
            }
            return target + "/" + name
        }
    }

    private static func edits(of engine: DomainEngine) async throws -> [Edit] {
        var edits: [Edit] = []
        let items = try await engine.run { try $0.progress.editStatus().items }
        for item in items
        where !item.changes.isDisjoint(with: [.contents, .created]) && !item.changes.contains(.deleted) {
            guard let row = try engine.index.item(item.number) else { continue }
            edits.append(
                Edit(
                    number: row.number, names: try engine.index.names(onTheWayTo: row), kind: row.item.kind,
                    linkTarget: row.item.linkTarget))
        }
        return edits
    }

    /// Returns the unsent edits of a domain that does not run, from its journal and its files. The index is not read,
    /// because a damaged index may be the reason why the domain does not run.
    ///
    /// - Returns: The edits that can be copied, and the number of changes that the service does not have.
    private static func unsent(in folder: String) -> (edits: [Edit], count: Int) {
        let path = folder + "/journal.db"
        let entries = access(path, F_OK) == 0 ? (try? Journal(path: path).all()) ?? [] : []
        var unknown = Set(numbers(in: folder + "/edits"))
        let known = Dictionary(entries.map { ($0.number, $0) }) { first, _ in first }
        var edits: [Edit] = []
        for entry in entries where !entry.changes.contains(.deleted) {
            let hasFile = unknown.remove(entry.number) != nil
            let isWanted = entry.kind == .file ? hasFile : entry.changes.contains(.created)
            guard isWanted else { continue }
            var names = [entry.name]
            var parent = entry.parent
            while let above = known[parent], names.count < IndexedItem.mostAncestors {
                names.insert(above.name, at: 0)
                parent = above.parent
            }
            if parent != .root { names.insert("Folder \(parent.rawValue)", at: 0) }
            edits.append(Edit(number: entry.number, names: names, kind: entry.kind, linkTarget: entry.linkTarget))
        }
        unknown.subtract(entries.map(\.number))
        for number in unknown.sorted(by: { $0.rawValue < $1.rawValue }) {
            edits.append(Edit(number: number, names: ["File \(number.rawValue)"], kind: .file, linkTarget: nil))
        }
        return (edits, entries.count + unknown.count)
    }

    private static func numbers(in folder: String) -> [ItemNumber] {
        let entries = try? FileDescriptor.open(folder, [.readOnly, .directory]).entries()
        return (entries ?? []).compactMap { entry in
            Int64(entry.name.description).map(ItemNumber.init(rawValue:))
        }
    }

    /// Creates a directory with a free name.
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
        for name in names { folder = try folder.openOrMakeDirectory(name, permissions: 0o700) }
        switch edit.kind {
        case .folder: _ = try folder.openOrMakeDirectory(last, permissions: 0o700)
        case .symbolicLink: try folder.makeLink(last, target: Array((edit.linkTarget ?? "").utf8))
        case .file:
            let source = try files.open("\(edit.number.rawValue)", [.readOnly, .noFollow])
            try FileCopier.copy(source, into: folder, named: last.description)
            try folder.open(entry: last, [.readOnly]).synchronize()
        }
    }
}
