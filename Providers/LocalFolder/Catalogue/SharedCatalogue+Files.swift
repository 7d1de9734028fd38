import Glibc
import LinuxSystem

/// What takes as long as a file is large: only its beginning and its end hold up others.
extension SharedCatalogue {
    /// How often a copy is begun anew when its original changes meanwhile.
    private static let attempts = 5

    /// Copies a file's contents to a path, in the place of what is there.
    ///
    /// - Returns: the item whose contents they are; it may have others by now.
    package func copyOut(_ identifier: String, to path: String) throws(FolderFailure) -> CatalogueItem {
        var attempt = 0
        while true {
            attempt += 1
            let (item, source) = try perform { catalogue in
                let item = try catalogue.item(identifier)
                guard item.facts.kind == .file else { throw FolderFailure.wrongKind }
                let (folder, name) = try catalogue.place(of: item)
                return (item, try folder.open(entry: name, [.readOnly, .nonBlocking]))
            }
            do {
                // The file that was opened is the one that the item describes, or its version would be another's.
                guard
                    let before = CatalogueItem.Facts(try source.status(), device: try source.status().identity.device),
                    before.size == item.facts.size, before.modified == item.facts.modified
                else { throw FolderFailure.busy }
                let (folder, name) = try Self.place(path)
                var staged = try StagedFile(in: folder, permissions: 0o600)
                try FileCopier.copyContents(of: source, to: staged.descriptor, named: item.filename)
                try staged.replace(name)
                return item
            } catch {
                let failure = FolderFailure(error)
                guard case .busy = failure, attempt < Self.attempts else { throw failure }
            }
        }
    }

    /// Puts a file of the container into a folder. A link is put there as a link.
    package func copyIn(
        _ path: String, named text: String, into parent: String
    ) throws(FolderFailure) -> CatalogueItem {
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
            // Modes cannot be changed later: a confined process gives them when it makes the file.
            let permissions: mode_t = status.permissions & 0o100 != 0 ? 0o777 : 0o666
            let isFree = try Self.add(source, to: folder, named: name, permissions)
            return try perform { catalogue in
                guard isFree else { throw catalogue.holder(of: name, in: number) }
                return try catalogue.record(name, in: number, folder)
            }
        } catch {
            throw FolderFailure(error)
        }
    }

    /// Copies a file into a folder, whole and on the disk; `false` where the name is taken.
    private static func add(
        _ source: FileDescriptor, to folder: FileDescriptor, named name: FileName, _ permissions: mode_t
    ) throws -> Bool {
        var staged = try StagedFile(in: folder, permissions: permissions)
        try FileCopier.copyContents(of: source, to: staged.descriptor, named: name.description)
        try staged.descriptor.synchronize()
        FolderStep.additionStaged.reach()
        do throws(Errno) {
            try staged.publish(as: name)
        } catch {
            guard error == .fileExists else { throw error }
            return false
        }
        FolderStep.added.reach()
        try? folder.synchronize()
        return true
    }

    /// Replaces the contents of an item with those of a file of the container, at once: whoever has the old ones open keeps them.
    package func replace(_ identifier: String, withContentsOf path: String) throws(FolderFailure) -> CatalogueItem {
        do {
            let (sourceFolder, sourceName) = try Self.place(path)
            let source = try sourceFolder.open(entry: sourceName, [.readOnly, .nonBlocking])
            let item = try perform { try $0.item(identifier) }
            guard item.facts.kind == .file else { throw FolderFailure.wrongKind }
            let (folder, name) = try perform { try $0.place(of: item) }
            var staged = try StagedFile(in: folder, permissions: item.facts.permissions)
            try FileCopier.copyContents(of: source, to: staged.descriptor, named: item.filename)
            FolderStep.staged.reach()
            try staged.replace(name)
            FolderStep.replaced.reach()
            return try perform { try $0.record(name, in: item.parent, folder) }
        } catch {
            throw FolderFailure(error)
        }
    }

    /// A path's folder, and the name in it.
    private static func place(_ path: String) throws -> (FileDescriptor, FileName) {
        guard let slash = path.lastIndex(of: "/"), let name = FileName(String(path[path.index(after: slash)...])) else {
            throw FolderFailure.badName(path)
        }
        let folder = path[..<slash]
        return (try .open(folder.isEmpty ? "/" : String(folder), [.readOnly, .directory]), name)
    }
}
