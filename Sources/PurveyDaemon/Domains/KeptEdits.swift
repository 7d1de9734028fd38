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
        let edits = try await edits(of: domain.engine)
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
