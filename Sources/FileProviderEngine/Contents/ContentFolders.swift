import Glibc
import LinuxSystem

/// The folders that hold files' bytes. A file is called like its item's number, and lies in `clean` or in `edits`.
final class ContentFolders: Sendable {
    /// Clean contents.
    let clean: FileDescriptor
    /// Copies of what a provider handed over, until they are whole; on the file system of the first.
    let incoming: FileDescriptor
    /// Contents that were opened for writing: from then on until the provider has what was written.
    let edits: FileDescriptor
    /// Copies of edited contents, for the time of their upload.
    let uploads: FileDescriptor

    /// Opens the folders, and makes them where they are missing.
    ///
    /// A file moves between the clean ones and the edits while programs have it open, so these must be on one file system. Where the cache is on
    /// another, clean contents are kept beside the edits.
    init(dataFolder: String, cacheFolder: String) throws(Errno) {
        let data = try Self.folder(dataFolder)
        let cache = try Self.folder(cacheFolder)
        let isOne = try data.status().identity.device == cache.status().identity.device
        clean = try Self.folder("content", in: isOne ? cache : data)
        incoming = try Self.folder("incoming", in: isOne ? cache : data)
        edits = try Self.folder("edits", in: data)
        uploads = try Self.folder("uploads", in: data)
        // What was on its way to here is asked for again.
        try empty(incoming)
    }

    private static func folder(_ path: String) throws(Errno) -> FileDescriptor {
        var made = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            made += component
            do throws(Errno) {
                try retrying { mkdir(made, 0o700) }
            } catch .fileExists {}
            made += "/"
        }
        return try .open(path, [.readOnly, .directory])
    }

    private static func folder(_ name: String, in parent: FileDescriptor) throws(Errno) -> FileDescriptor {
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

    static func name(_ number: ItemNumber) -> String { String(number.rawValue) }
}
