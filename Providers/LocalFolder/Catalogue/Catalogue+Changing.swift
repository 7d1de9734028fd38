import CLinux
import Glibc
import LinuxSystem
import SQLite

/// Makes changes to the served directory that the provider's clients request. No operation follows a symbolic link, and
/// no operation replaces an item other than the one that the client named.
extension Catalogue {
    /// Records an item that was just created or moved, under its name.
    func record(_ name: FileName, in parent: Int64, _ folder: FileDescriptor) throws -> CatalogueItem {
        guard let facts = try facts(of: name, in: folder) else { throw FolderError.wrongKind }
        let bytes = Array(name.bytes)
        return try database.transaction {
            if let known = try row(named: bytes, in: parent), known.facts.kind == facts.kind {
                return known.facts == facts ? known : try place(known, bytes, in: parent, facts)
            }
            let file = FoundFile(name: bytes, facts: facts, contents: try earlier(facts).contents)
            return try insert(file, in: parent)
        }
    }

    /// Returns the error for a name that another item already has. The error contains the other item.
    func holder(of name: FileName, in parent: Int64) -> any Error {
        do {
            try lookAt(parent)
            if let item = try row(named: Array(name.bytes), in: parent) { return FolderError.taken(item) }
            return FolderError.system(.fileExists)
        } catch {
            return error
        }
    }

    package func createFolder(_ name: FileName, in parent: Int64) throws -> CatalogueItem {
        try check(name, in: parent)
        let folder = try openFolder(parent)
        do throws(Errno) {
            try folder.makeDirectory(name, permissions: 0o777)
        } catch .fileExists {
            throw holder(of: name, in: parent)
        }
        FolderStep.folderMade.reach()
        return try record(name, in: parent, folder)
    }

    func createLink(_ name: FileName, target: [UInt8], in parent: Int64) throws -> CatalogueItem {
        try check(name, in: parent)
        let folder = try openFolder(parent)
        do throws(Errno) {
            try folder.makeLink(name, target: target)
        } catch .fileExists {
            throw holder(of: name, in: parent)
        }
        FolderStep.linkMade.reach()
        return try record(name, in: parent, folder)
    }

    /// Renames an item, moves it, or both. Never replaces another item.
    package func move(_ item: CatalogueItem, to parent: Int64, named name: FileName) throws -> CatalogueItem {
        guard item.number != CatalogueItem.root else { throw FolderError.wrongKind }
        try check(name, in: parent)
        let bytes = Array(name.bytes)
        if item.parent == parent, item.name == bytes { return item }
        let (old, oldName) = try place(of: item)
        let new = try openFolder(parent)
        do throws(Errno) {
            try old.moveWithoutReplacing(oldName, into: new, as: name)
        } catch {
            throw error == .fileExists ? holder(of: name, in: parent) : error
        }
        FolderStep.moved.reach()
        let facts = try facts(of: name, in: new) ?? item.facts
        return try database.transaction { try place(item, bytes, in: parent, facts, isOwn: true) }
    }

    /// Removes an item. A directory is removed with everything in it. A directory outside the trash is not removed if
    /// it contains items that are not in the catalogue, because these may be new files of other programs.
    package func delete(_ item: CatalogueItem) throws {
        guard item.number != CatalogueItem.root else { throw FolderError.system(.notPermitted) }
        let (folder, name) = try place(of: item)
        if item.facts.kind == .folder {
            if try hasUnknown(item.number), try !isInTrash(item) { throw FolderError.system(.notEmpty) }
            for child in try children(of: item.number) { try delete(child) }
            try folder.removeEmptyDirectory(name)
        } else {
            try folder.removeFile(name)
        }
        FolderStep.removed.reach()
        if item.parent == CatalogueItem.trash { forgetNote(of: name) }
        try remove(item)
    }

    /// Reports an item once more in the change feed.
    func touch(_ number: Int64) throws {
        guard let item = try row(number), !item.isGone else { return }
        _ = try place(item, item.name, in: item.parent, item.facts)
    }
}

extension FileDescriptor {
    /// Moves an entry to another directory. Throws EEXIST if an entry with the new name exists.
    fileprivate func moveWithoutReplacing(
        _ old: FileName, into folder: FileDescriptor, as new: FileName
    ) throws(Errno) {
        let (from, to) = (rawValue, folder.rawValue)
        if clinux_renameat2(from, old.characters, to, new.characters, clinux_rename_noreplace) == 0 { return }
        let failure = Errno.current
        // Some network and FUSE file systems do not support RENAME_NOREPLACE. The same errors may report a move of a
        // directory into itself, which every file system rejects. In that case, `renameat` fails with the same error.
        guard [.invalidArgument, .noSystemCall, .notSupported].contains(failure) else { throw failure }
        guard (try? folder.status(of: new)) == nil else { throw .fileExists }
        guard renameat(from, old.characters, to, new.characters) == 0 else { throw .current }
    }
}
