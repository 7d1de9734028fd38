import Glibc
import ItemStore
import LinuxSystem

/// The directories with files' contents. A file is named by its item number, and lies either in `clean` or in
/// `edits`.
final class ContentFolders: Sendable {
    /// Contents that were opened for writing, until the provider has confirmed the edit or the file is found
    /// unmodified.
    let edits: FileDescriptor
    /// Copies of edited contents for the duration of their upload.
    let uploads: FileDescriptor

    /// Clean contents.
    var clean: FileDescriptor { current().clean }
    /// The directory of clean contents as it was last opened, without a check that it still exists. If another
    /// process has removed it, no file is found in it.
    var lastClean: FileDescriptor { cache.withLock { $0.clean } }
    /// Copies of contents that the provider returned, until they are complete; on the same file system as ``clean``.
    var incoming: FileDescriptor { current().incoming }
    /// Partially materialized files, each as long as the complete file; on the same file system as ``clean``.
    var parts: FileDescriptor { current().parts }

    /// Contents of versions that the provider has replaced (``OlderContents``); on the same file system as ``clean``.
    var older: FileDescriptor { current().older }

    /// Contents of files that were removed or replaced while programs read them, until the last handle is closed; on
    /// the same file system as ``clean``.
    var removed: FileDescriptor { current().removed }

    /// Contents of trashed files that programs have open, by their numbers in the trash; on the same file system as
    /// ``clean``.
    var trashed: FileDescriptor { current().trashed }

    /// The directories that a user or another process may remove at any time.
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
    /// system. If the cache directory is on another one, or cannot be used, clean contents are stored beside the
    /// edits.
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

    /// Opens the cache directories, if they can be used and are on the same file system as `folder`.
    private static func cache(in path: String, besides folder: FileDescriptor) -> Cache? {
        guard let cache = try? Cache(in: path),
            let (one, other) = try? (cache.clean.status().identity, folder.status().identity)
        else { return nil }
        return one.device == other.device ? cache : nil
    }

    /// Returns the cache directories, and creates them again if any of them was removed.
    private func current() -> Cache {
        let known = cache.withLock { $0 }
        guard known.isGone, let made = try? Cache(in: cacheFolder) else { return known }
        cache.withLock { $0 = made }
        return made
    }

    fileprivate static func folder(_ path: String) throws(Errno) -> FileDescriptor {
        var made = path.hasPrefix("/") ? "/" : ""
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

    /// Opens an item's file. Returns `nil` if it does not exist.
    func open(
        _ number: ItemNumber, in folder: FileDescriptor, _ options: FileDescriptor.OpenOptions
    ) throws(Errno) -> FileDescriptor? {
        do throws(Errno) {
            return try folder.open(Self.name(number), options.union(.noFollow))
        } catch .noSuchFile {
            return nil
        }
    }

    /// Moves an item's file.
    func move(_ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        let name = Self.name(number)
        try retrying { renameat(folder.rawValue, name, other.rawValue, name) }
    }

    /// Moves an item's file to another directory, and renames it to another item number.
    func move(
        _ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor, as successor: ItemNumber
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, Self.name(number), other.rawValue, Self.name(successor)) }
    }

    /// Links an item's file into another directory, under another item number.
    func link(
        _ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor, as successor: ItemNumber
    ) throws(Errno) {
        try retrying { linkat(folder.rawValue, Self.name(number), other.rawValue, Self.name(successor), 0) }
    }

    /// Moves the contents of a removed or replaced item, if it has any, to ``removed``.
    func moveAside(_ number: ItemNumber) throws(Errno) {
        for folder in [clean, edits] {
            do throws(Errno) {
                return try move(number, from: folder, to: removed)
            } catch .noSuchFile {}
        }
    }

    /// Removes an item's file, if it exists.
    func remove(_ number: ItemNumber, in folder: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try retrying { unlinkat(folder.rawValue, Self.name(number), 0) }
        } catch .noSuchFile {}
    }

    /// Removes every file in a directory.
    func empty(_ folder: FileDescriptor) throws(Errno) {
        for entry in try folder.open(".", [.readOnly, .directory]).entries() { try folder.removeFile(entry.name) }
    }

    /// Returns the items that have a file in a directory.
    func numbers(in folder: FileDescriptor) throws(Errno) -> [ItemNumber] {
        // A new descriptor has a read position of its own.
        try folder.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            Int64(entry.name.description).map(ItemNumber.init(rawValue:))
        }
    }

    // MARK: Edits that are to be removed

    private static let removed = ".removed"

    /// Renames an edit that is to be removed, so that the removal can still be undone.
    ///
    /// - Returns: the size of the edit, in bytes.
    func setAside(_ number: ItemNumber) throws(Errno) -> Int {
        let name = Self.name(number)
        try retrying { renameat(edits.rawValue, name, edits.rawValue, name + Self.removed) }
        return try edits.status(of: name + Self.removed).size
    }

    /// Moves an edit that was set aside to ``removed``, because programs still have it open.
    func keepSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { renameat(edits.rawValue, Self.name(number) + Self.removed, removed.rawValue, Self.name(number)) }
    }

    func removeSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { unlinkat(edits.rawValue, Self.name(number) + Self.removed, 0) }
    }

    /// Undoes ``setAside(_:)``. If the item has a new edit meanwhile, that edit stays and the one that was set aside is
    /// removed.
    func takeBack(_ number: ItemNumber) throws(Errno) {
        let name = Self.name(number)
        do throws(Errno) {
            try retrying { linkat(edits.rawValue, name + Self.removed, edits.rawValue, name, 0) }
        } catch .fileExists {}
        try removeSetAside(number)
    }

    /// Returns the items that have an edit that was set aside.
    func numbersSetAside() throws(Errno) -> [ItemNumber] {
        try edits.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            let name = entry.name.description
            guard name.hasSuffix(Self.removed) else { return nil }
            return Int64(name.dropLast(Self.removed.count)).map(ItemNumber.init(rawValue:))
        }
    }

    static func name(_ number: ItemNumber) -> String { String(number.rawValue) }
}
