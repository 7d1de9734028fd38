import Glibc
import ItemStore
import LinuxSystem

/// The directories that contain the contents of files. The name of each file in them is its item number. An item's
/// complete contents are either in the `content` directory (``clean``) or in `edits`.
final class ContentFolders: Sendable {
    /// The directory of contents that were opened for writing. A file stays in it until the provider has confirmed the
    /// edit, or the file is found to be unmodified.
    let edits: FileDescriptor
    /// The directory of copies of edited contents, which exist for the duration of an upload.
    let uploads: FileDescriptor

    /// The directory of clean contents.
    var clean: FileDescriptor { current().clean }
    /// The directory of clean contents as it was last opened. If another process has removed the directory since, it
    /// contains no files.
    var lastClean: FileDescriptor { cache.withLock { $0.clean } }
    /// The directory into which contents that the provider returned are copied. A copy stays in it until it is
    /// complete. On the same file system as ``clean``.
    var incoming: FileDescriptor { current().incoming }
    /// The directory of partially materialized files, each as long as the complete file. On the same file system as
    /// ``clean``.
    var parts: FileDescriptor { current().parts }

    /// The directory of contents of versions that the provider has replaced (``OlderContents``). On the same file
    /// system as ``clean``.
    var older: FileDescriptor { current().older }

    /// The directory of contents that were removed or replaced while programs had them open. A file stays in it until
    /// its last handle is closed. On the same file system as ``clean``.
    var removed: FileDescriptor { current().removed }

    /// The directory of contents of trashed files that programs have open. Each file is named by its number in the
    /// trash. On the same file system as ``clean``.
    var trashed: FileDescriptor { current().trashed }

    /// The directories in the cache directory. A user or another process may remove them at any time.
    private struct Cache: Sendable {
        let clean: FileDescriptor
        let incoming: FileDescriptor
        let parts: FileDescriptor
        let removed: FileDescriptor
        let older: FileDescriptor
        let trashed: FileDescriptor

        init(in path: String) throws(Errno) {
            let folder = try ContentFolders.folder(path)
            clean = try ContentFolders.folder("content", in: folder)
            incoming = try ContentFolders.folder("incoming", in: folder)
            parts = try ContentFolders.folder("parts", in: folder)
            removed = try ContentFolders.folder("removed", in: folder)
            older = try ContentFolders.folder("older", in: folder)
            trashed = try ContentFolders.folder("trashed", in: folder)
        }

        /// Whether any of the directories was removed.
        var isGone: Bool {
            [clean, incoming, parts, removed, older, trashed].contains { folder in (try? folder.status().linkCount) == 0
            }
        }
    }

    /// The path of the cache directory.
    private let cacheFolder: String
    // Leaf lock: directories are created outside of it.
    private let cache: Lock<Cache>

    /// Opens the directories, and creates those that are missing.
    ///
    /// A file moves between the clean contents and the edits while programs have it open, so both must be on one file
    /// system. If the cache directory is on another file system than the edits, or cannot be used, the clean contents
    /// are stored beside the edits.
    init(dataFolder: String, cacheFolder: String) throws(Errno) {
        let data = try Self.folder(dataFolder)
        edits = try Self.folder("edits", in: data)
        uploads = try Self.folder("uploads", in: data)
        if let cache = Self.cache(in: cacheFolder, besides: data) {
            self.cacheFolder = cacheFolder
            self.cache = Lock(cache)
            // Directories that an earlier engine created when the cache directory could not be used.
            for name in ["content", "incoming", "parts", "removed", "older", "trashed"].compactMap({ FileName($0) }) {
                try? TreeRemover.remove(name, in: data)
            }
        } else {
            self.cacheFolder = dataFolder
            cache = Lock(try Cache(in: dataFolder))
        }
        // Incomplete contents are fetched again.
        try empty(incoming)
        // The versions of older contents were recorded only in the memory of the last process, so their files cannot be
        // used any more.
        try empty(older)
    }

    /// Opens the directories in the cache directory. Returns `nil` if they cannot be used, or are on another file
    /// system than `folder`.
    private static func cache(in path: String, besides folder: FileDescriptor) -> Cache? {
        guard let cache = try? Cache(in: path),
            let (one, other) = try? (cache.clean.status().identity, folder.status().identity)
        else { return nil }
        return one.device == other.device ? cache : nil
    }

    /// Returns the directories in the cache directory. If any was removed, creates the missing ones and opens all of
    /// them again.
    private func current() -> Cache {
        let known = cache.withLock { $0 }
        guard known.isGone, let made = try? Cache(in: cacheFolder) else { return known }
        cache.withLock { $0 = made }
        return made
    }

    fileprivate static func folder(_ path: String) throws(Errno) -> FileDescriptor {
        var made = path.isAbsolutePath ? "/" : ""
        for component in path.pathNames {
            made += component
            do throws(Errno) {
                try retrying { mkdir(made, 0o700) }
            } catch .fileExists {}
            made += "/"
        }
        return try .open(path, [.readOnly, .directory])
    }

    fileprivate static func folder(_ name: String, in parent: FileDescriptor) throws(Errno) -> FileDescriptor {
        do throws(Errno) {
            try retrying { mkdirat(parent.rawValue, name, 0o700) }
        } catch .fileExists {}
        return try parent.open(name, [.readOnly, .directory])
    }

    /// Opens the given item's file in the given directory. Returns `nil` if the file does not exist.
    func open(
        _ number: ItemNumber, in folder: FileDescriptor, _ options: FileDescriptor.OpenOptions
    ) throws(Errno) -> FileDescriptor? {
        do throws(Errno) {
            return try folder.open(Self.name(number), options.union(.noFollow))
        } catch .noSuchFile {
            return nil
        }
    }

    /// Moves the given item's file to another directory.
    func move(_ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        let name = Self.name(number)
        try retrying { renameat(folder.rawValue, name, other.rawValue, name) }
    }

    /// Moves the given item's file to another directory, and renames it to another item number.
    func move(
        _ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor, as successor: ItemNumber
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, Self.name(number), other.rawValue, Self.name(successor)) }
    }

    /// Creates a hard link to the given item's file in another directory, under another item number.
    func link(
        _ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor, as successor: ItemNumber
    ) throws(Errno) {
        try retrying { linkat(folder.rawValue, Self.name(number), other.rawValue, Self.name(successor), 0) }
    }

    /// Moves the clean or edited contents of a removed or replaced item to ``removed``, if they exist.
    func moveAside(_ number: ItemNumber) throws(Errno) {
        for folder in [clean, edits] {
            do throws(Errno) {
                return try move(number, from: folder, to: removed)
            } catch .noSuchFile {}
        }
    }

    /// Deletes the given item's file in the given directory, if it exists.
    func remove(_ number: ItemNumber, in folder: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try retrying { unlinkat(folder.rawValue, Self.name(number), 0) }
        } catch .noSuchFile {}
    }

    /// Deletes every file in the given directory.
    func empty(_ folder: FileDescriptor) throws(Errno) {
        for entry in try folder.open(".", [.readOnly, .directory]).entries() { try folder.removeFile(entry.name) }
    }

    /// Returns the numbers of the items that have a file in the given directory.
    func numbers(in folder: FileDescriptor) throws(Errno) -> [ItemNumber] {
        // A new descriptor has a read position of its own.
        try folder.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            Int64(entry.name.description).map(ItemNumber.init(rawValue:))
        }
    }

    // MARK: Edits that are to be removed

    private static let removed = ".removed"

    /// Renames the edited file of an item that is about to be removed, so that ``takeBack(_:)`` can restore the file.
    ///
    /// - Returns: The size of the file, in bytes.
    func setAside(_ number: ItemNumber) throws(Errno) -> Int {
        let name = Self.name(number)
        try retrying { renameat(edits.rawValue, name, edits.rawValue, name + Self.removed) }
        return try edits.status(of: name + Self.removed).size
    }

    /// Moves to ``removed`` an edited file that ``setAside(_:)`` renamed, because programs still have the file open.
    func keepSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { renameat(edits.rawValue, Self.name(number) + Self.removed, removed.rawValue, Self.name(number)) }
    }

    func removeSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { unlinkat(edits.rawValue, Self.name(number) + Self.removed, 0) }
    }

    /// Undoes ``setAside(_:)``. If the item has a new edited file by then, that file stays and the renamed one is
    /// deleted.
    func takeBack(_ number: ItemNumber) throws(Errno) {
        let name = Self.name(number)
        do throws(Errno) {
            try retrying { linkat(edits.rawValue, name + Self.removed, edits.rawValue, name, 0) }
        } catch .fileExists {}
        try removeSetAside(number)
    }

    /// Returns the numbers of the items whose edited file was renamed by ``setAside(_:)``.
    func numbersSetAside() throws(Errno) -> [ItemNumber] {
        try edits.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            let name = entry.name.description
            guard name.hasSuffix(Self.removed) else { return nil }
            return Int64(name.dropLast(Self.removed.count)).map(ItemNumber.init(rawValue:))
        }
    }

    static func name(_ number: ItemNumber) -> String { String(number.rawValue) }
}
