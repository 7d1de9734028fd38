import Glibc
import ItemStore
import LinuxSystem

/// The complete contents of a file that does not exist yet. They become a file in the directory of edited files when
/// the item is created. After a crash, the item therefore has all of its contents or does not exist.
final class StagedContents: Sendable {
    // Leaf lock.
    private let file: Lock<StagedFile>
    /// The number of bytes.
    let size: Int64
    /// The modification date, in seconds since 1970.
    let modified: Double

    /// Copies the contents of the file `source` and makes the copy durable. Blocks.
    ///
    /// - Parameters:
    ///   - source: The file, open for reading.
    ///   - name: The file's name, for error messages.
    ///   - modified: The modification date, in seconds since 1970.
    init(copying source: FileDescriptor, named name: String, modified: Double, in folders: ContentFolders) throws {
        let staged = try StagedFile(in: folders.edits)
        try FileCopier.copyContents(of: source, to: staged.descriptor, named: name)
        try staged.descriptor.synchronize()
        size = Int64(try staged.descriptor.status().size)
        self.modified = modified
        file = Lock(staged)
    }

    /// Moves the contents to the directory of edited files, under the given item number. Replaces a file of this name:
    /// it is a leftover, because the item is new.
    func publish(as number: ItemNumber, in folders: ContentFolders) throws(Errno) {
        try folders.remove(number, in: folders.edits)
        guard let name = FileName(ContentFolders.name(number)) else { throw .invalidArgument }
        try file.withLock { file throws(Errno) in try file.publish(as: name) }
    }
}
