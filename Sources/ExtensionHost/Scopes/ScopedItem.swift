import FileCoordination
import Glibc
import LinuxSystem

/// An item outside the container that a confined process may use. The daemon has found the item by its identity, and
/// uses it through a descriptor. During an access, the item also appears in a directory that the process can see.
struct ScopedItem: Sendable {
    let item: ResolvedItem
    let scope: Bookmark.Scope
    let isDirectory: Bool
    private let place: ScopeFolder.Place
    private let name: FileName
    /// Whether the item appears as a hard link to the file, and not as a copy.
    private let isLinked: Bool
    /// Whether the process may change the item.
    let isWritable: Bool

    /// The path under which the confined process sees the item.
    var path: String { place.path + "/" + name.description }

    /// Creates the empty directory in which the item will appear. Blocks on the file system.
    ///
    /// - Throws: `Errno`. It is `notSupported` if the item is neither a file nor a directory.
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

    /// Makes the item appear in its directory, and opens it. Blocks on the file system.
    func begin(isCancelled: @escaping @Sendable () -> Bool) throws -> FileDescriptor {
        // The item is opened through its descriptor, so that another item at its path is not used.
        let file = try item.descriptor.reopen(isWritable ? [.readWrite, .nonBlocking] : [.readOnly, .nonBlocking])
        try removeFormerCopy()
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

    /// Removes the copy that the end of an earlier access failed to remove. A link to the item's file may stay.
    private func removeFormerCopy() throws(Errno) {
        let former = try? place.folder.status(of: name).identity
        if isLinked, let former, try former == item.descriptor.status().identity { return }
        try TreeRemover.remove(name, in: place.folder)
    }

    /// Removes the link or copy of the item from its directory. The original item is not changed. Blocks on the file
    /// system. If this fails, the item is removed together with the process's directory.
    func end() throws(Errno) { try TreeRemover.remove(name, in: place.folder) }
}
