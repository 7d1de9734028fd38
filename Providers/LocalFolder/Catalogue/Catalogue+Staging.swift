import Glibc
import LinuxSystem
import SQLite

/// Manages temporary files of the served directory, including the trash directory before it gets its name. Each
/// temporary file is in the directory of its final place until it is complete, and is not served.
///
/// The catalogue records the name before it creates the file, and the file's inode afterwards. If the process is
/// killed, the next process finds the remaining files by these records. A user's own file is never treated as a
/// temporary file, regardless of its name.
extension Catalogue {
    static let stagedTable = """
        CREATE TABLE IF NOT EXISTS staged (
            folder INTEGER NOT NULL, name BLOB NOT NULL, inode INTEGER NOT NULL DEFAULT 0, birth INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (folder, name)) WITHOUT ROWID;
        """

    /// The names of this process's temporary files.
    final class Work {
        fileprivate var names: Set<FileName> = []
    }

    /// Records that a temporary file with this name is about to be created in a directory.
    func willStage(_ name: FileName, in folder: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO staged (folder, name) VALUES (?, ?)", .integer(folder), .bytes(Array(name.bytes)))
        work.names.insert(name)
    }

    /// Records the inode and birth time of the temporary file.
    func didStage(_ name: FileName, in folder: Int64, _ file: FileDescriptor) throws {
        let (status, birth) = try file.statusAndBirth()
        try database.run(
            "UPDATE staged SET inode = ?, birth = ? WHERE folder = ? AND name = ?",
            .integer(Int64(bitPattern: status.identity.inode)), .integer(birth), .integer(folder),
            .bytes(Array(name.bytes)))
    }

    /// Removes the record of a temporary file that has got its final name or was removed.
    func endStaging(_ name: FileName, in folder: Int64) {
        work.names.remove(name)
        // If this fails, the next scan removes the record, because its file does not exist.
        try? database.run(
            "DELETE FROM staged WHERE folder = ? AND name = ?", .integer(folder), .bytes(Array(name.bytes)))
    }

    private struct Staged {
        let name: FileName?
        let inode: UInt64
        let birth: Int64
    }

    private func staged(in folder: Int64) throws -> [Staged] {
        try database.all("SELECT name, inode, birth FROM staged WHERE folder = ?", .integer(folder)) { row in
            Staged(
                name: FileName(bytes: row.bytes(0)), inode: UInt64(bitPattern: row.integer(1)), birth: row.integer(2))
        }
    }

    /// Returns the names of a directory's temporary files, which are not served. Removes temporary files that a killed
    /// process left.
    func unservedNames(in folder: Int64, _ descriptor: FileDescriptor) throws -> Set<FileName> {
        var names: Set<FileName> = []
        for staged in try staged(in: folder) {
            guard let name = staged.name else { continue }
            if work.names.contains(name) {
                names.insert(name)
            } else {
                Self.removeLeftover(staged, name, in: descriptor)
                endStaging(name, in: folder)
            }
        }
        return names
    }

    /// Removes the temporary files of killed processes from all directories.
    func removeLeftovers() {
        let folders = try? database.all("SELECT DISTINCT folder FROM staged") { $0.integer(0) }
        for folder in folders ?? [] {
            guard let descriptor = try? openFolder(folder) else { continue }
            _ = try? unservedNames(in: folder, descriptor)
        }
    }

    private static func removeLeftover(_ staged: Staged, _ name: FileName, in folder: FileDescriptor) {
        guard let (status, birth) = try? folder.statusAndBirth(of: name) else { return }
        let isKnown = status.identity.inode == staged.inode && birth == staged.birth
        switch status.kind {
        // A process that was killed before it recorded the inode may have left an empty file.
        case .regular where isKnown || staged.inode == 0 && status.size == 0: try? folder.removeFile(name)
        case .directory where isKnown: TrashFolder.removeLeftover(name, in: folder)
        case .directory where staged.inode == 0: try? folder.removeEmptyDirectory(name)
        default: break
        }
    }
}

/// A temporary file of the served directory. It is removed when this object is released, unless it got its final name.
final class StagedAddition {
    private var file: StagedFile
    let descriptor: FileDescriptor

    init(_ file: consuming StagedFile) {
        descriptor = file.descriptor
        self.file = file
    }

    func publish(as name: FileName) throws(Errno) { try file.publish(as: name) }

    func replace(_ name: FileName) throws(Errno) { try file.replace(name, durably: false) }
}

extension SharedCatalogue {
    /// Calls a function with a temporary file in a directory, and removes the file afterwards unless the function gave
    /// it its final name.
    func withStagedFile<Result>(
        in folder: FileDescriptor, _ number: Int64, permissions: mode_t,
        _ body: (StagedAddition) throws -> Result
    ) throws -> Result {
        let name = TemporaryName.random()
        try perform { try $0.willStage(name, in: number) }
        defer { _ = try? perform { $0.endStaging(name, in: number) } }
        return try made(name, in: folder, number, permissions, body)
    }

    /// Creates the file. Releases the file object before it returns, so that the caller can remove the record.
    private func made<Result>(
        _ name: FileName, in folder: FileDescriptor, _ number: Int64, _ permissions: mode_t,
        _ body: (StagedAddition) throws -> Result
    ) throws -> Result {
        let staged = StagedAddition(try StagedFile(in: folder, permissions: permissions, named: name))
        try perform { try $0.didStage(name, in: number, staged.descriptor) }
        return try body(staged)
    }
}
