import FileCoordination
import Glibc
import LinuxSystem

/// An item that a confined process may use. It is found by its identity, and used through its descriptor. During an
/// access, it is in a place where the process can see it.
struct ScopedItem: Sendable {
    let item: ResolvedItem
    let scope: Bookmark.Scope
    let isDirectory: Bool
    private let place: ScopeFolder.Place
    private let name: FileName
    /// Whether the place gets a hard link to the file, and not a copy.
    private let isLinked: Bool
    /// Whether the process may change the item.
    let isWritable: Bool

    /// The path of the item for the confined process.
    var path: String { place.path + "/" + name.description }

    /// Creates an empty place for an item. Blocks on the file system.
    ///
    /// - Throws: `Errno`, `notSupported` if the item is neither a file nor a directory.
    init(_ item: ResolvedItem, _ scope: Bookmark.Scope, number: UInt64, in folder: ScopeFolder) throws {
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
        // The file is opened to test whether it is writable. A file that can only be copied must not be writable.
        isWritable = isLinked && !scope.isReadOnly && (try? item.descriptor.reopen([.readWrite, .nonBlocking])) != nil
        place = try folder.makePlace(number, for: isWritable ? .changing : .reading)
    }

    /// Puts the item in its place, and opens it. Blocks on the file system.
    func begin(isCancelled: @escaping @Sendable () -> Bool) throws -> FileDescriptor {
        // The item is opened through its descriptor, so that another item at its path is not used.
        let file = try item.descriptor.reopen(isWritable ? [.readWrite, .nonBlocking] : [.readOnly, .nonBlocking])
        if isDirectory {
            try TreeCopier.copy(file, into: place.folder, named: name.description, isCancelled: isCancelled)
        } else if isLinked {
            do throws(Errno) {
                try item.descriptor.link(into: place.folder, as: name)
            } catch .fileExists {
                // The link of an earlier access still exists.
            } catch {
                // The kernel may forbid links to other users' files. For reading, a copy suffices.
                guard !isWritable else { throw error }
                try FileCopier.copy(file, into: place.folder, named: name.description)
            }
        } else {
            try FileCopier.copy(file, into: place.folder, named: name.description)
        }
        return file
    }

    /// Removes the item from its place. Blocks on the file system.
    func end() {
        // If this fails, the item is removed together with the process's directory.
        try? TreeRemover.remove(name, in: place.folder)
    }
}
