import Glibc
import LinuxSystem

/// Manages the trash, which is a directory at the top of the served directory. It is not served itself. It has the
/// standard layout, so that users can restore files with other programs.
///
/// Source: the trash specification of freedesktop.org, for the trash of a top directory.
extension Catalogue {
    private static let files = FileName("files")
    private static let notes = FileName("info")
    private static let noteSuffix = ".trashinfo"

    /// The statement that inserts the parent row of the items in the trash. The trash directory itself is created when
    /// the first item is trashed.
    static let trashRow = """
        INSERT OR IGNORE INTO item
            (number, parent, name, kind, inode, size, modified, permissions, target, listed, revision)
        VALUES (\(CatalogueItem.trash), 0, x'2e', 1, 0, 0, 0, 448, x'', 1, \(CatalogueItem.trash));
        """

    /// Checks that a name is not the name of the trash, which is not served.
    func check(_ name: FileName, in parent: Int64) throws {
        guard parent == CatalogueItem.root, TrashFolder.isTrash(name, in: try openRoot()) else { return }
        throw FolderError.badName(name.description)
    }

    /// Opens the directory that contains trashed items.
    ///
    /// - Throws: `Errno.noSuchFile` if no trash exists yet.
    func openTrash() throws -> FileDescriptor { try openTrash(Self.files, isMade: false) }

    private func openTrash(_ part: FileName?, isMade: Bool) throws -> FileDescriptor {
        guard let part else { throw Errno.invalidArgument }
        let root = try openRoot()
        return isMade
            ? try openOrMakeTrash(in: root).openOrMakeDirectory(part, permissions: 0o700)
            : try TrashFolder.open(in: root).open(entry: part, [.readOnly, .directory])
    }

    /// Whether a directory that may be the trash contains an item that is in the trash according to the catalogue.
    func hasTrashed(in folder: FileDescriptor) throws -> Bool {
        guard let files = Self.files, let place = try? folder.open(entry: files, [.readOnly, .directory]) else {
            return false
        }
        return try children(of: CatalogueItem.trash).contains { item in
            guard let name = FileName(bytes: item.name), let facts = try? facts(of: name, in: place) else {
                return false
            }
            return facts.isSame(as: item.facts)
        }
    }

    /// Whether an item is in the trash, or in a directory in the trash.
    func isInTrash(_ item: CatalogueItem) throws -> Bool {
        var next: CatalogueItem? = item
        while let item = next, item.number != CatalogueItem.root {
            if item.parent == CatalogueItem.trash { return true }
            next = try row(item.parent)
        }
        return false
    }

    /// The maximum number of items with the same original name in the trash.
    private static let mostOfAName = 1000

    /// Moves an item to the trash. A directory is moved with everything in it.
    package func trash(_ item: CatalogueItem) throws -> CatalogueItem {
        guard item.number != CatalogueItem.root else { throw FolderError.system(.notPermitted) }
        if try isInTrash(item) { return item }
        let notes = try openTrash(Self.notes, isMade: true)
        _ = try openTrash(Self.files, isMade: true)
        let note = TrashNote(path: try names(of: item), deleted: time(nil))
        for number in 1...Self.mostOfAName {
            let name = try Self.name(item.name, number)
            // Creating the trash information file reserves the name.
            guard try note.write(to: notes, named: try Self.note(of: name)) else { continue }
            do {
                return try move(item, to: CatalogueItem.trash, named: name)
            } catch {
                try? notes.removeFile(try Self.note(of: name))
                switch error {
                case FolderError.taken, FolderError.system(.fileExists): continue
                default: throw error
                }
            }
        }
        throw FolderError.system(.fileExists)
    }

    /// Moves an item out of the trash.
    ///
    /// - Parameter folder: the directory to move the item to. If `nil`, the item is moved to its former directory, or
    ///   to the root if the former directory does not exist any more.
    package func untrash(_ item: CatalogueItem, to folder: Int64?) throws -> CatalogueItem {
        // An item with another parent is not in the trash any more.
        guard item.parent == CatalogueItem.trash else { return item }
        guard let name = FileName(bytes: item.name) else { throw FolderError.noSuchItem }
        let notes = try? openTrash(Self.notes, isMade: false)
        let note = try notes.flatMap { try TrashNote(reading: try Self.note(of: name), in: $0) }
        let original = note?.path.last.flatMap { FileName(bytes: $0) } ?? name
        let moved = try move(item, to: try folder ?? formerFolder(of: item), named: original)
        try? notes?.removeFile(try Self.note(of: name))
        return moved
    }

    /// Removes the trash information file of an item that was permanently removed from the trash.
    func forgetNote(of name: FileName) {
        guard let notes = try? openTrash(Self.notes, isMade: false) else { return }
        try? notes.removeFile(try Self.note(of: name))
    }

    private func formerFolder(of item: CatalogueItem) throws -> Int64 {
        guard let former = try row(item.formerParent), former.number > 0, !former.isGone,
            former.facts.kind == .folder, try former.number == CatalogueItem.root || !isInTrash(former),
            (try? openFolder(former.number)) != nil
        else { return CatalogueItem.root }
        return former.number
    }

    /// Returns the path components from the served directory to an item, including the item's name.
    private func names(of item: CatalogueItem) throws -> [[UInt8]] {
        var names: [[UInt8]] = []
        var next: CatalogueItem? = item
        while let item = next, item.number != CatalogueItem.root {
            names.append(item.name)
            next = try row(item.parent)
        }
        return names.reversed()
    }

    private static func note(of name: FileName) throws -> FileName {
        guard let note = FileName(bytes: Array(name.bytes) + Array(noteSuffix.utf8)) else {
            throw FolderError.noSuchItem
        }
        return note
    }

    /// Returns the name in the trash for the attempt with the given number, from 1. The first name is the item's own
    /// name. In later names, the number precedes the extension. A name is shortened if the name of its trash
    /// information file would be too long.
    private static func name(_ bytes: [UInt8], _ number: Int) throws -> FileName {
        let mark = number == 1 ? [] : Array(" \(number)".utf8)
        let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && bytes.count - $0 <= 32 ? $0 : nil }
        let (stem, suffix) = (bytes[..<(dot ?? bytes.count)], bytes[(dot ?? bytes.count)...])
        var kept = stem.prefix(255 - noteSuffix.utf8.count - mark.count - suffix.count)
        if kept.count < stem.count {
            // A UTF-8 sequence is not cut in two.
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        guard let name = FileName(bytes: kept + mark + suffix) else { throw FolderError.noSuchItem }
        return name
    }
}
