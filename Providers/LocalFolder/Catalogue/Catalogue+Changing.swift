import CLinux
import Glibc
import LinuxSystem

/// What is done to the folder on behalf of the cloud's users. None of it follows a link, and nothing is replaced but what is
/// named.
extension Catalogue {
    /// Takes note of what has just been put under a name.
    func record(_ name: FileName, in parent: Int64, _ folder: FileDescriptor) throws -> CatalogueItem {
        guard let facts = try facts(of: name, in: folder) else { throw FolderFailure.wrongKind }
        let bytes = Array(name.bytes)
        return try database.transaction {
            if let known = try row(named: bytes, in: parent), known.facts.kind == facts.kind {
                return known.facts == facts ? known : try place(known, bytes, in: parent, facts)
            }
            return try insert(bytes, in: parent, facts)
        }
    }

    /// Whoever has a name that was to be had.
    func holder(of name: FileName, in parent: Int64) -> any Error {
        do {
            try lookAt(parent)
            if let item = try row(named: Array(name.bytes), in: parent) { return FolderFailure.taken(item) }
            return FolderFailure.system(.fileExists)
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

    /// Renames, moves, or both. Never onto a name that is taken.
    package func move(_ item: CatalogueItem, to parent: Int64, named name: FileName) throws -> CatalogueItem {
        guard item.number != CatalogueItem.root else { throw FolderFailure.wrongKind }
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
        return try database.transaction { try place(item, bytes, in: parent, facts) }
    }

    /// Removes an item; a folder with everything in it, as far as that is known: what somebody put there meanwhile is not lost
    /// with it, unless the folder was in the trash.
    package func delete(_ item: CatalogueItem) throws {
        guard item.number != CatalogueItem.root else { throw FolderFailure.system(.notPermitted) }
        let (folder, name) = try place(of: item)
        if item.facts.kind == .folder {
            if try hasUnknown(item.number), try !isInTrash(item) { throw FolderFailure.system(.notEmpty) }
            for child in try children(of: item.number, after: 0, limit: .max) { try delete(child) }
            try folder.removeEmptyDirectory(name)
        } else {
            try folder.removeFile(name)
        }
        FolderStep.removed.reach()
        if item.parent == CatalogueItem.trash { forgetNote(of: name) }
        try remove(item)
    }

    /// Has an item told once more in the change feed.
    func touch(_ number: Int64) throws {
        guard let item = try row(number), !item.isGone else { return }
        _ = try place(item, item.name, in: item.parent, item.facts)
    }
}

extension FileDescriptor {
    /// Moves an entry to another directory, never onto a name that is taken (EEXIST).
    fileprivate func moveWithoutReplacing(
        _ old: FileName, into folder: FileDescriptor, as new: FileName
    ) throws(Errno) {
        let (from, to) = (rawValue, folder.rawValue)
        if clinux_renameat2(from, old.characters, to, new.characters, clinux_rename_noreplace) == 0 { return }
        let failure = Errno.current
        // Some network and FUSE file systems have no such rename; of a folder into itself all of them say the same.
        guard [.invalidArgument, .noSystemCall, .notSupported].contains(failure) else { throw failure }
        guard (try? folder.status(of: new)) == nil else { throw .fileExists }
        guard renameat(from, old.characters, to, new.characters) == 0 else { throw .current }
    }
}
