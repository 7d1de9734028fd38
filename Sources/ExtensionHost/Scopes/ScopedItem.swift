import FileCoordination
import Glibc
import LinuxSystem

/// An item that a confined process may use: found by its identity, held by descriptor, placed where that process can see it
/// while it has access.
struct ScopedItem: Sendable {
    let item: FoundItem
    let scope: Bookmark.Scope
    let isDirectory: Bool
    private let place: ScopeFolder.Place
    private let name: FileName
    /// Whether the place gets the file itself, under one more name, and not a copy.
    private let isLinked: Bool
    /// Whether the process may change it.
    let isWritable: Bool

    /// What the confined process calls it.
    var path: String { place.path + "/" + name.description }

    /// Makes a place for an item; nothing is in it yet. Blocks on the file system.
    ///
    /// - Throws: `Errno`, `notSupported` for what is neither a file nor a folder.
    init(_ item: FoundItem, _ scope: Bookmark.Scope, number: UInt64, in folder: ScopeFolder) throws {
        self.item = item
        self.scope = scope
        let status = try item.descriptor.status()
        guard status.kind == .regular || status.kind == .directory else { throw Errno.notSupported }
        isDirectory = status.kind == .directory
        guard
            let name = FileName(item.path.lastPathName)
        else { throw Errno.notSupported }
        self.name = name
        let device = try FileStatus.of(folder.path).identity.device
        isLinked = !isDirectory && status.identity.device == device
        // Opened to see whether it can be; a file of which there will be a copy only is not to be written to.
        isWritable = isLinked && !scope.isReadOnly && (try? item.descriptor.reopen([.readWrite, .nonBlocking])) != nil
        place = try folder.makePlace(number, for: isWritable ? .changing : .reading)
    }

    /// Puts the item in its place, and opens it. Blocks on the file system.
    func begin(isCancelled: @escaping @Sendable () -> Bool) throws -> FileDescriptor {
        // By descriptor: whatever has the path now is not looked at.
        let file = try item.descriptor.reopen(isWritable ? [.readWrite, .nonBlocking] : [.readOnly, .nonBlocking])
        if isDirectory {
            try TreeCopier.copy(file, into: place.folder, named: name.description, isCancelled: isCancelled)
        } else if isLinked {
            do throws(Errno) {
                try item.descriptor.link(into: place.folder, as: name)
            } catch .fileExists {
                // Of an access that was begun before.
            } catch {
                // The system keeps links to other users' files from being made; to read one, a copy does.
                guard !isWritable else { throw error }
                try FileCopier.copy(file, into: place.folder, named: name.description)
            }
        } else {
            try FileCopier.copy(file, into: place.folder, named: name.description)
        }
        return file
    }

    /// Takes the item out of its place. Blocks on the file system.
    func end() {
        // What cannot be removed now goes with the process's folder.
        try? TreeRemover.remove(name, in: place.folder)
    }
}
