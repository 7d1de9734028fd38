import Glibc
import LinuxSystem

/// Files on their way into the served folder: they lie beside their places until they are whole, and are not served.
///
/// The catalogue has written down each of them before it is there, with its file once that is known. So a process that is started after
/// one was killed finds what that left, and a user's own file is never taken for such a one, whatever its name.
extension Catalogue {
    static let stagedTable = """
        CREATE TABLE IF NOT EXISTS staged (
            folder INTEGER NOT NULL, name BLOB NOT NULL, inode INTEGER NOT NULL DEFAULT 0, birth INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (folder, name)) WITHOUT ROWID;
        """

    /// The names that this process is working with.
    final class Work {
        fileprivate var names: Set<FileName> = []
    }

    /// A file of such a name is about to be made in a folder.
    func willStage(_ name: FileName, in folder: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO staged (folder, name) VALUES (?, ?)", .integer(folder), .bytes(Array(name.bytes)))
        work.names.insert(name)
    }

    /// It was made.
    func didStage(_ name: FileName, in folder: Int64, _ file: FileDescriptor) throws {
        let (status, birth) = try file.statusAndBirth()
        try database.run(
            "UPDATE staged SET inode = ?, birth = ? WHERE folder = ? AND name = ?",
            .integer(Int64(bitPattern: status.identity.inode)), .integer(birth), .integer(folder),
            .bytes(Array(name.bytes)))
    }

    /// It has its place, or is gone.
    func endStaging(_ name: FileName, in folder: Int64) {
        work.names.remove(name)
        // What stays noted is found to be gone at the next look.
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

    /// The names in a folder that are not served, because files lie there that are not whole. Removes those that a killed process left.
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

    /// Removes what a killed process left, in all folders that are there.
    func removeLeftovers() {
        let folders = try? database.all("SELECT DISTINCT folder FROM staged") { $0.integer(0) }
        for folder in folders ?? [] {
            guard let descriptor = try? openFolder(folder) else { continue }
            _ = try? unservedNames(in: folder, descriptor)
        }
    }

    private static func removeLeftover(_ staged: Staged, _ name: FileName, in folder: FileDescriptor) {
        guard let (status, birth) = try? folder.statusAndBirth(of: name), status.kind == .regular else { return }
        let isOurs =
            // Killed before its file was known, and before anything was written to it.
            staged.inode == 0
            ? status.size == 0 : status.identity.inode == staged.inode && birth == staged.birth
        if isOurs { try? folder.removeFile(name) }
    }
}

/// A file on its way into the served folder, removed with this object unless it got its place.
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
    /// Runs a function with a file that is to get a place in a folder; what is left of it afterwards is removed.
    func withStagedFile<Result>(
        in folder: FileDescriptor, _ number: Int64, permissions: mode_t,
        _ body: (StagedAddition) throws -> Result
    ) throws -> Result {
        let name = TemporaryName.random()
        try perform { try $0.willStage(name, in: number) }
        defer { _ = try? perform { $0.endStaging(name, in: number) } }
        return try made(name, in: folder, number, permissions, body)
    }

    /// Its file is gone when this returns.
    private func made<Result>(
        _ name: FileName, in folder: FileDescriptor, _ number: Int64, _ permissions: mode_t,
        _ body: (StagedAddition) throws -> Result
    ) throws -> Result {
        let staged = StagedAddition(try StagedFile(in: folder, permissions: permissions, named: name))
        try perform { try $0.didStage(name, in: number, staged.descriptor) }
        return try body(staged)
    }
}
