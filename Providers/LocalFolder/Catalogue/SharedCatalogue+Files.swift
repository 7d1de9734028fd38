import FileProvider
import FileProviderWire
import Glibc
import LinuxSystem

/// Performs operations whose duration depends on the size of a file. They hold the catalogue's lock only at their
/// beginning and end.
extension SharedCatalogue {
    /// The maximum number of times that a copy is attempted, if the original changes while it is copied.
    private static let attempts = 5

    /// Copies the contents of an item's file to the given path.
    ///
    /// - Parameters:
    ///   - replacing: whether to replace a file at the path. If `false`, an existing file causes an error.
    ///   - note: called with the copy's status when the copy is complete and has no name yet. No client can write to
    ///     the copy before it has a name.
    ///   - named: called with the copy's status when the copy has its name.
    /// - Returns: the item with the version that was copied. The file may have changed since.
    @discardableResult
    package func copyOut(
        _ identifier: String, to path: String, replacing: Bool = true,
        note: (Catalogue, CatalogueItem, FileMoment) throws -> Void = { _, _, _ in },
        named: (Catalogue, FileMoment) throws -> Void = { _, _ in }
    ) throws(FolderError) -> CatalogueItem {
        var attempt = 0
        while true {
            attempt += 1
            do throws(FolderError) {
                return try copyOutOnce(identifier, path, replacing, note, named)
            } catch {
                guard case .busy = error, attempt < Self.attempts else { throw error }
            }
        }
    }

    /// Returns the item of a file, and opens the file at the item's place. Another file may have replaced it since the
    /// last scan.
    func opened(_ identifier: String) throws(FolderError) -> (CatalogueItem, FileDescriptor) {
        try perform { catalogue in
            let item = try catalogue.item(identifier)
            guard item.facts.kind == .file else { throw FolderError.wrongKind }
            let (folder, name) = try catalogue.place(of: item)
            return (item, try folder.open(entry: name, [.readOnly, .nonBlocking]))
        }
    }

    private func copyOutOnce(
        _ identifier: String, _ path: String, _ replacing: Bool,
        _ note: (Catalogue, CatalogueItem, FileMoment) throws -> Void, _ named: (Catalogue, FileMoment) throws -> Void
    ) throws(FolderError) -> CatalogueItem {
        let (item, source) = try opened(identifier)
        do {
            // The opened file must be the one that the item describes. Otherwise the item's version would be that of
            // another file.
            let before = try source.status()
            guard before.kind == .regular, item.facts.describe(before) else { throw FolderError.busy }
            let (folder, name) = try Self.place(path)
            var staged = try StagedFile(in: folder, permissions: 0o600)
            try FileCopier.copyContents(of: source, to: staged.descriptor, named: item.filename, movesPosition: true)
            let moment = FileMoment(try staged.descriptor.status())
            if replacing {
                // The old copy is removed first, because the record of the new copy must never be mistaken for a record
                // of the old one.
                try? folder.removeFile(name)
                try? folder.synchronize()
            }
            try perform { try note($0, item, moment) }
            FolderStep.copyNoted.reach()
            try staged.publish(as: name)
            let now = FileMoment(try staged.descriptor.status())
            if now.isDated(as: moment) { try perform { try named($0, now) } }
            FolderStep.copyPlaced.reach()
            return item
        } catch {
            throw FolderError(error)
        }
    }

    /// Copies a file of the container into a directory. A symbolic link is copied as a link.
    package func copyIn(
        _ path: String, named text: String, into parent: String
    ) throws(FolderError) -> CatalogueItem {
        guard let name = FileName(text), text.utf8.count <= 255 else { throw .badName(text) }
        do {
            let (sourceFolder, sourceName) = try Self.place(path)
            let status = try sourceFolder.status(of: sourceName)
            if status.kind == .symbolicLink {
                let target = try sourceFolder.target(ofLink: sourceName)
                return try perform { try $0.createLink(name, target: target, in: try $0.item(parent).number) }
            }
            let source = try sourceFolder.open(entry: sourceName, [.readOnly, .nonBlocking])
            let (number, folder) = try perform { catalogue in
                let number = try catalogue.item(parent).number
                try catalogue.check(name, in: number)
                return (number, try catalogue.openFolder(number))
            }
            // A confined process cannot change modes later, so the file is created with its mode.
            let all: mode_t = status.permissions & 0o100 != 0 ? 0o777 : 0o666
            let permissions = status.permissions & 0o077 == 0 ? all & 0o700 : all
            let isFree = try add(source, to: folder, number, named: name, permissions)
            return try perform { catalogue in
                guard isFree else { throw catalogue.holder(of: name, in: number) }
                return try catalogue.record(name, in: number, folder)
            }
        } catch {
            throw FolderError(error)
        }
    }

    /// The maximum number of names that are tried.
    private static let names = 1000

    /// Copies a file of the storage into a directory, under the first unused name.
    ///
    /// - Parameters:
    ///   - isOnce: whether an existing file with one of the names and the same bytes counts as this copy. A killed
    ///     process may have created it.
    ///   - name: returns a name for 1, 2 and so on.
    /// - Throws: ``FolderError/busy`` if the file changes during the copy.
    package func copyIn(
        _ path: String, into parent: String, isOnce: Bool = false, named name: (Int) -> String
    ) throws(FolderError) {
        do {
            let (source, before) = try Self.source(path)
            let (number, folder) = try perform { catalogue in
                let number = try catalogue.item(parent).number
                return (number, try catalogue.openFolder(number))
            }
            let published = try withStagedFile(in: folder, number, permissions: 0o666) { staged in
                try FileCopier.copyContents(of: source, to: staged.descriptor, named: path, movesPosition: true)
                try staged.descriptor.synchronize()
                FolderStep.additionStaged.reach()
                guard FileMoment(try source.status()) == before else { throw FolderError.busy }
                return try Self.publish(staged, in: folder, isOnce: isOnce, named: name)
            }
            FolderStep.added.reach()
            try? folder.synchronize()
            // The file is in place. If the catalogue cannot record it now, the next scan does.
            _ = try? perform { try $0.record(published, in: number, folder) }
        } catch {
            throw FolderError(error)
        }
    }

    private static func publish(
        _ staged: StagedAddition, in folder: FileDescriptor, isOnce: Bool, named name: (Int) -> String
    ) throws -> FileName {
        for attempt in 1...names {
            let text = name(attempt)
            guard let fileName = FileName(text), text.utf8.count <= 255 else { throw FolderError.badName(text) }
            let result = Result { () throws(Errno) in try staged.publish(as: fileName) }
            if case .failure(.fileExists) = result {
                let there = isOnce ? try? folder.open(entry: fileName, [.readOnly, .nonBlocking]) : nil
                if let there, (try? there.status().kind) == .regular,
                    (try? ContentComparison.areEqual(staged.descriptor, there)) == true
                {
                    return fileName
                }
                continue
            }
            try result.get()
            return fileName
        }
        throw FolderError.system(.fileExists)
    }

    /// Opens a file of the storage, and returns it with the status that it has before any byte is read.
    private static func source(_ path: String) throws -> (FileDescriptor, FileMoment) {
        let (folder, name) = try place(path)
        let source = try folder.open(entry: name, [.readOnly, .nonBlocking])
        // A write through a memory map does not change the date until the page is written back.
        try source.synchronizeData()
        return (source, FileMoment(try source.status()))
    }

    /// Copies a file of the storage to another path in the storage, at which no file may exist.
    ///
    /// - Parameters:
    ///   - note: as for ``copyOut(_:to:replacing:note:named:)``.
    ///   - named: as for ``copyOut(_:to:replacing:note:named:)``.
    func copyStored(
        _ path: String, to other: String, note: (Catalogue, FileMoment) throws -> Void,
        named: (Catalogue, FileMoment) throws -> Void
    ) throws(FolderError) {
        do {
            let (source, before) = try Self.source(path)
            let (folder, name) = try Self.place(other)
            var staged = try StagedFile(in: folder)
            try FileCopier.copyContents(of: source, to: staged.descriptor, named: path, movesPosition: true)
            guard FileMoment(try source.status()) == before else { throw FolderError.busy }
            let moment = FileMoment(try staged.descriptor.status())
            try perform { try note($0, moment) }
            try staged.publish(as: name)
            let now = FileMoment(try staged.descriptor.status())
            if now.isDated(as: moment) { try perform { try named($0, now) } }
        } catch {
            throw FolderError(error)
        }
    }

    /// Whether an item has the same bytes as a file of the storage.
    ///
    /// - Parameter version: the version that the item must have; `nil` accepts every version.
    package func hasContents(
        _ identifier: String, of path: String, in version: [UInt8]? = nil
    ) throws(FolderError) -> Bool {
        do {
            let (source, _) = try Self.source(path)
            let file = try perform { catalogue -> FileDescriptor? in
                let item = try catalogue.item(identifier)
                if let version, item.contentVersion != version { return nil }
                let (folder, name) = try catalogue.place(of: item)
                return try folder.open(entry: name, [.readOnly, .nonBlocking])
            }
            guard let file else { return false }
            guard try file.status().kind == .regular else { return false }
            return try ContentComparison.areEqual(source, file)
        } catch {
            throw FolderError(error)
        }
    }

    /// Copies a file into a directory, and flushes it to disk. Returns `false` if the name exists already.
    private func add(
        _ source: FileDescriptor, to folder: FileDescriptor, _ number: Int64, named name: FileName,
        _ permissions: mode_t
    ) throws -> Bool {
        let isFree = try withStagedFile(in: folder, number, permissions: permissions) { staged in
            try FileCopier.copyContents(
                of: source, to: staged.descriptor, named: name.description, movesPosition: true)
            try staged.descriptor.synchronize()
            FolderStep.additionStaged.reach()
            do throws(Errno) {
                try staged.publish(as: name)
                return true
            } catch {
                guard error == .fileExists else { throw error }
                return false
            }
        }
        guard isFree else { return false }
        FolderStep.added.reach()
        try? folder.synchronize()
        return true
    }

    /// Replaces an item's contents with those of a file of the container, atomically. Processes that have the old file
    /// open continue to read its contents.
    ///
    /// - Parameter version: the version of the contents to replace; `nil` accepts every version. Pass the version if
    ///   newer contents must not be lost.
    /// - Throws: ``FolderError/outdated`` for another version; ``FolderError/busy`` if the file changes during the
    ///   copy, or the item is moved.
    package func replace(
        _ identifier: String, withContentsOf path: String, over version: [UInt8]? = nil
    ) throws(FolderError) -> CatalogueItem {
        do {
            let (source, before) = try Self.source(path)
            let item = try perform { try $0.item(identifier) }
            guard item.facts.kind == .file else { throw FolderError.wrongKind }
            let (folder, name) = try perform { try $0.place(of: item) }
            let replaced = try withStagedFile(in: folder, item.parent, permissions: item.facts.permissions) { staged in
                try FileCopier.copyContents(
                    of: source, to: staged.descriptor, named: item.filename, movesPosition: true)
                // Flushing may take seconds, in which other processes may write. The version is therefore checked
                // afterwards.
                try staged.descriptor.synchronize()
                FolderStep.staged.reach()
                guard FileMoment(try source.status()) == before else { throw FolderError.busy }
                return try perform { catalogue in
                    let now = try catalogue.item(identifier)
                    if let version, now.contentVersion != version { throw FolderError.outdated }
                    guard now.parent == item.parent, now.name == item.name else { throw FolderError.busy }
                    try staged.replace(name)
                    FolderStep.replaced.reach()
                    return try catalogue.record(name, in: item.parent, folder)
                }
            }
            // Some file systems cannot flush a directory. The replacement is then less durable, but not wrong.
            try? folder.synchronize()
            return replaced
        } catch {
            throw FolderError(error)
        }
    }

    /// Opens the parent directory of the given path, and returns it with the last component of the path.
    private static func place(_ path: String) throws -> (FileDescriptor, FileName) {
        guard let slash = path.lastSlash, let name = FileName(path.lastPathName) else {
            throw FolderError.badName(path)
        }
        let folder = path[..<slash]
        return (try .open(folder.isEmpty ? "/" : String(folder), [.readOnly, .directory]), name)
    }
}
