import Glibc
import LinuxSystem

/// The folders that hold files' bytes. A file is called like its item's number, and lies in `clean` or in `edits`.
final class ContentFolders: Sendable {
    /// Contents that were opened for writing: from then on until the provider has what was written.
    let edits: FileDescriptor
    /// Copies of edited contents, for the time of their upload.
    let uploads: FileDescriptor

    /// Clean contents.
    var clean: FileDescriptor { current().clean }
    /// The folder of clean contents that there was last: in one that somebody has removed, nothing is found.
    var lastClean: FileDescriptor { cache.withLock { $0.clean } }
    /// Copies of what a provider handed over, until they are whole; on the file system of the first.
    var incoming: FileDescriptor { current().incoming }
    /// Files of which parts are here, each as long as the whole; on the file system of the first.
    var parts: FileDescriptor { current().parts }

    /// Contents of files that were removed or replaced while programs read them, until these close them; on the file system of the first.
    var removed: FileDescriptor { current().removed }

    /// What anybody may remove at any time.
    private struct Cache: Sendable {
        let clean: FileDescriptor
        let incoming: FileDescriptor
        let parts: FileDescriptor
        let removed: FileDescriptor

        init(in path: String) throws(Errno) {
            let folder = try ContentFolders.folder(path)
            clean = try ContentFolders.folder("content", in: folder)
            incoming = try ContentFolders.folder("incoming", in: folder)
            parts = try ContentFolders.folder("parts", in: folder)
            removed = try ContentFolders.folder("removed", in: folder)
        }

        /// Whether somebody removed the folders themselves.
        var isGone: Bool {
            [clean, incoming, parts, removed].contains { folder in (try? folder.status().linkCount) == 0 }
        }
    }

    /// Where the cache is.
    private let cacheFolder: String
    // Innermost: folders are made outside of it.
    private let cache: Lock<Cache>

    /// Opens the folders, and makes them where they are missing.
    ///
    /// A file moves between the clean ones and the edits while programs have it open, so these must be on one file system. Where the cache is on
    /// another, or cannot be used, clean contents are kept beside the edits.
    init(dataFolder: String, cacheFolder: String) throws(Errno) {
        let data = try Self.folder(dataFolder)
        edits = try Self.folder("edits", in: data)
        uploads = try Self.folder("uploads", in: data)
        if let cache = Self.cache(in: cacheFolder, besides: data) {
            self.cacheFolder = cacheFolder
            self.cache = Lock(cache)
            // From a time when that could not be used.
            for name in ["content", "incoming", "parts", "removed"].compactMap({ FileName($0) }) {
                try? TreeRemover.remove(name, in: data)
            }
        } else {
            self.cacheFolder = dataFolder
            cache = Lock(try Cache(in: dataFolder))
        }
        // What was on its way to here is asked for again.
        try empty(incoming)
    }

    /// The cache, if it can be used and is on the file system of a folder.
    private static func cache(in path: String, besides folder: FileDescriptor) -> Cache? {
        guard let cache = try? Cache(in: path),
            let (one, other) = try? (cache.clean.status().identity, folder.status().identity)
        else { return nil }
        return one.device == other.device ? cache : nil
    }

    /// The cache as it is; one that somebody removed is made again.
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

    /// Opens an item's file; `nil` where there is none.
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

    /// Moves an item's file to another folder, where it has another number.
    func move(
        _ number: ItemNumber, from folder: FileDescriptor, to other: FileDescriptor, as successor: ItemNumber
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, Self.name(number), other.rawValue, Self.name(successor)) }
    }

    /// Moves the contents of an item that was removed or replaced to ``removed``, if there are any.
    func moveAside(_ number: ItemNumber) throws(Errno) {
        for folder in [clean, edits] {
            do throws(Errno) {
                return try move(number, from: folder, to: removed)
            } catch .noSuchFile {}
        }
    }

    /// Removes an item's file, if there is one.
    func remove(_ number: ItemNumber, in folder: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try retrying { unlinkat(folder.rawValue, Self.name(number), 0) }
        } catch .noSuchFile {}
    }

    /// Removes every file in a folder.
    func empty(_ folder: FileDescriptor) throws(Errno) {
        for entry in try folder.open(".", [.readOnly, .directory]).entries() { try folder.removeFile(entry.name) }
    }

    /// The items that have a file in a folder.
    func numbers(in folder: FileDescriptor) throws(Errno) -> [ItemNumber] {
        // With a position of its own.
        try folder.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            Int64(entry.name.description).map(ItemNumber.init(rawValue:))
        }
    }

    // MARK: Edits that are to go

    private static let removed = ".removed"

    /// Gives an edit another name until it goes.
    ///
    /// - Returns: its size.
    func setAside(_ number: ItemNumber) throws(Errno) -> Int {
        let name = Self.name(number)
        try retrying { renameat(edits.rawValue, name, edits.rawValue, name + Self.removed) }
        return try edits.status(of: name + Self.removed).size
    }

    /// Moves a discarded edit that programs read to ``removed``.
    func keepSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { renameat(edits.rawValue, Self.name(number) + Self.removed, removed.rawValue, Self.name(number)) }
    }

    func removeSetAside(_ number: ItemNumber) throws(Errno) {
        try retrying { unlinkat(edits.rawValue, Self.name(number) + Self.removed, 0) }
    }

    /// Takes an edit back, unless there is another one of the item.
    func takeBack(_ number: ItemNumber) throws(Errno) {
        let name = Self.name(number)
        do throws(Errno) {
            try retrying { linkat(edits.rawValue, name + Self.removed, edits.rawValue, name, 0) }
        } catch .fileExists {}
        try removeSetAside(number)
    }

    /// The items that have an edit that was to go.
    func numbersSetAside() throws(Errno) -> [ItemNumber] {
        try edits.open(".", [.readOnly, .directory]).entries().compactMap { entry in
            let name = entry.name.description
            guard name.hasSuffix(Self.removed) else { return nil }
            return Int64(name.dropLast(Self.removed.count)).map(ItemNumber.init(rawValue:))
        }
    }

    static func name(_ number: ItemNumber) -> String { String(number.rawValue) }
}
