import Foundation
import LinuxSystem

/// Two directories in which a confined process sees the items outside its container to which it has access. The
/// confinement permits access to the directories. Each item has its own subdirectory in one of them.
///
/// The process can read the items in the directory `reading`, and can read and write the items in `changing`. Only the
/// daemon can create, rename or remove entries. The daemon holds a lock on the parent of the two directories. If the
/// parent is not locked, a killed daemon has left them.
final class ScopeFolder: Sendable {
    enum Use: String, Sendable {
        case reading, changing
    }

    let path: String
    /// The path of the parent of the two directories, with symbolic links resolved. File coordination uses this path.
    let realPath: String
    private let directory: FileDescriptor

    /// Creates the two directories in the given data directory. Blocks on the file system.
    init(data: String) throws {
        let parent = data + "/scopes"
        path = parent + "/" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        directory = try FileDescriptor.open(path, [.readOnly, .directory])
        realPath = directory.path ?? path
        guard directory.tryLock() else { throw Errno.wouldBlock }
        for use in [Use.reading, .changing] { try retrying { mkdirat(directory.rawValue, use.rawValue, 0o700) } }
    }

    deinit { remove() }

    /// Removes the two directories with their contents, after the process has ended. Blocks on the file system.
    func remove() { Self.remove(path) }

    func path(for use: Use) -> String { path + "/" + use.rawValue }

    /// Creates an empty subdirectory for one item.
    func makePlace(_ number: UInt64, for use: Use) throws -> Place {
        let folder = try directory.open(use.rawValue, [.readOnly, .directory])
        try retrying { mkdirat(folder.rawValue, String(number), 0o700) }
        return Place(
            folder: try folder.open(String(number), [.readOnly, .directory, .noFollow]),
            path: path(for: use) + "/\(number)")
    }

    /// The subdirectory that contains one item while the process has access to it.
    struct Place: Sendable {
        let folder: FileDescriptor
        let path: String
    }

    /// Removes directories that killed daemons left.
    static func sweep(data: String) {
        let parent = data + "/scopes"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard let folder = try? FileDescriptor.open(parent + "/" + name, [.readOnly, .directory, .noFollow]),
                folder.tryLock()
            else { continue }
            remove(parent + "/" + name)
        }
    }

    private static func remove(_ path: String) {
        let url = URL(fileURLWithPath: path)
        guard let name = FileName(url.path.lastPathName),
            let parent = try? FileDescriptor.open(url.deletingLastPathComponent().path, [.readOnly, .directory])
        else { return }
        // If this fails, a later sweep removes the rest.
        try? TreeRemover.remove(name, in: parent)
    }
}
