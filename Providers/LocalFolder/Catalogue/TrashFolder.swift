import LinuxSystem

/// The directory at the top of the served directory that contains the trash. It is not served itself.
///
/// A user's own file or directory may have any name, including that of the trash. The trash is therefore recognized by
/// a label file, which contains the inode and birth time of its directory. Neither a copy of the trash nor a user's
/// directory contains a valid label. If the user has a file with the first name, the trash gets the next unused name.
///
/// The name is not `.Trash-$uid`, because desktops create a directory with that name at the top of each disk and mount.
enum TrashFolder {
    private static let name = ".purvey-trash"

    /// The maximum number of names that are tried.
    private static let mostNames = 9
    private static let label = FileName("purvey")
    private static let purpose = "trash"

    private static let names = (1...mostNames).compactMap { FileName($0 == 1 ? name : "\(name) \($0)") }

    /// Opens the trash of a directory.
    ///
    /// - Throws: `Errno.noSuchFile` if the directory has no trash yet.
    static func open(in root: FileDescriptor) throws(Errno) -> FileDescriptor {
        for name in names {
            if let folder = trash(name, in: root) { return folder }
        }
        throw .noSuchFile
    }

    /// Whether an entry of the served directory is a trash.
    static func isTrash(_ name: FileName, in root: FileDescriptor) -> Bool {
        names.contains(name) && trash(name, in: root) != nil
    }

    /// Writes the label into the directory that becomes the trash, and renames the directory to the first unused name.
    ///
    /// - Parameter temporary: the directory's earlier name.
    static func publish(_ temporary: FileName, _ folder: FileDescriptor, in root: FileDescriptor) throws {
        try putLabel(into: folder)
        for name in names {
            do throws(Errno) {
                return try root.rename(temporary, to: name)
            } catch {
                guard error == .fileExists else { throw error }
            }
        }
        throw Errno.fileExists
    }

    /// Writes the file by which a directory is recognized as the trash.
    static func putLabel(into folder: FileDescriptor) throws {
        guard let label else { throw Errno.invalidArgument }
        let bytes = try folder.label(for: purpose)
        let file = try folder.createFile(label, permissions: 0o600)
        try bytes.withUnsafeBytes { try file.writeAll($0) }
        try file.synchronize()
    }

    /// Opens the directory with the first name, even if it is not the trash.
    static func candidate(in root: FileDescriptor) -> FileDescriptor? {
        names.first.flatMap { try? root.open(entry: $0, [.readOnly, .directory]) }
    }

    /// Removes a directory that was to become the trash but was never renamed to its final name, because of an error
    /// or because the process was killed. A directory with other entries than the label is not removed.
    static func removeLeftover(_ name: FileName, in root: FileDescriptor) {
        guard let label, let folder = try? root.open(entry: name, [.readOnly, .directory]) else { return }
        try? folder.removeFile(label)
        try? root.removeEmptyDirectory(name)
    }

    private static func trash(_ name: FileName, in root: FileDescriptor) -> FileDescriptor? {
        guard let label, let folder = try? root.open(entry: name, [.readOnly, .directory]),
            let file = try? folder.open(entry: label, [.readOnly, .nonBlocking]),
            let found = try? file.readToEnd(limit: FileDescriptor.largestLabel),
            let own = try? folder.label(for: purpose), found == own
        else { return nil }
        return folder
    }
}

extension Catalogue {
    /// Opens the trash of the served directory. Creates the trash if it does not exist.
    func openOrMakeTrash(in root: FileDescriptor) throws -> FileDescriptor {
        do throws(Errno) {
            return try TrashFolder.open(in: root)
        } catch {
            guard error == .noSuchFile else { throw error }
        }
        let name = TemporaryName.random()
        try willStage(name, in: CatalogueItem.root)
        defer { endStaging(name, in: CatalogueItem.root) }
        try root.makeDirectory(name, permissions: 0o700)
        do {
            let folder = try root.open(entry: name, [.readOnly, .directory])
            try didStage(name, in: CatalogueItem.root, folder)
            FolderStep.trashMade.reach()
            try TrashFolder.publish(name, folder, in: root)
            return folder
        } catch {
            TrashFolder.removeLeftover(name, in: root)
            throw error
        }
    }

    /// Labels the trash of a catalogue that was created before labels existed. Without a label, the trash would be
    /// treated as a directory of the user.
    func labelEarlierTrash() throws {
        guard let root = try? openRoot(checked: false), (try? TrashFolder.open(in: root)) == nil,
            let folder = TrashFolder.candidate(in: root), try isMarked(folder) || hasTrashed(in: folder)
        else { return }
        try TrashFolder.putLabel(into: folder)
    }
}
