import Glibc
import ItemStore
import LinuxSystem

/// The complete contents of a file that does not exist yet. They get a name in the directory of edits when the item is
/// created, so that a crash leaves an item with all of its contents, or none.
final class StagedContents: Sendable {
    // Leaf lock.
    private let file: Lock<StagedFile>
    /// The number of bytes.
    let size: Int64
    /// The modification date, in seconds since 1970.
    let modified: Double

    /// Copies a file's contents, and makes them durable. Blocks.
    ///
    /// - Parameters:
    ///   - source: The file, open for reading.
    ///   - name: The file's name in errors.
    ///   - modified: The modification date, in seconds since 1970.
    init(copying source: FileDescriptor, named name: String, modified: Double, in folders: ContentFolders) throws {
        let staged = try StagedFile(in: folders.edits)
        try FileCopier.copyContents(of: source, to: staged.descriptor, named: name)
        try staged.descriptor.synchronize()
        size = Int64(try staged.descriptor.status().size)
        self.modified = modified
        file = Lock(staged)
    }

    /// Names the file by an item number. A file that has the name is a leftover, because the number is new.
    func publish(as number: ItemNumber, in folders: ContentFolders) throws(Errno) {
        try folders.remove(number, in: folders.edits)
        guard let name = FileName(ContentFolders.name(number)) else { throw .invalidArgument }
        try file.withLock { file throws(Errno) in try file.publish(as: name) }
    }
}
