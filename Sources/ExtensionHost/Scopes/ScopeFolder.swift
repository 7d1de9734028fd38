import Foundation
import LinuxSystem

/// The location of the items to which one confined process has access. It consists of two directories that the
/// confinement permits. Each item has a place in one of them.
///
/// The process can read the items in `reading`. It can also write the items in `changing`. Only the daemon can create,
/// rename or remove entries. The daemon holds a lock on their parent directory, so that a later daemon can find out
/// whether a killed daemon left them.
final class ScopeFolder: Sendable {
    enum Use: String, Sendable {
        case reading, changing
    }

    let path: String
    /// The path with symbolic links resolved. File coordination uses this path.
    let realPath: String
    private let directory: FileDescriptor

    /// Creates the directories in a data directory. Blocks on the file system.
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

    /// Removes everything after the process has ended. Blocks on the file system.
    func remove() { Self.remove(path) }

    func path(for use: Use) -> String { path + "/" + use.rawValue }

    /// Creates an empty directory for one item.
    func makePlace(_ number: UInt64, for use: Use) throws -> Place {
        let folder = try directory.open(use.rawValue, [.readOnly, .directory])
        try retrying { mkdirat(folder.rawValue, String(number), 0o700) }
        return Place(
            folder: try folder.open(String(number), [.readOnly, .directory, .noFollow]),
            path: path(for: use) + "/\(number)")
    }

    /// The directory that contains one item during an access.
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
