import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The files that a loaded item may replace in a directory. A file that the argument PATH itself names is always
/// replaced.
///
/// In a directory, the program that made the offer chooses the name. Therefore, by default, the item replaces no file,
/// and gets no hidden name. A hidden file, such as `.bashrc`, may be run by a shell at its start.
struct Replacement: Sendable {
    /// Whether a file with the item's own name is replaced.
    var ownName = false
    /// Files that are never replaced.
    var except: Set<FileStatus.Identity> = []

    /// Whether the item may replace the existing file with the item's own name.
    ///
    /// - Parameter there: the existing file; `nil` if there is none.
    func allows(_ there: FileStatus.Identity?) -> Bool { ownName && !(there.map(except.contains) ?? false) }
}

/// The directory and the name that a path on the command line denotes.
struct Destination {
    let folder: String
    /// The name under which the item is stored; `nil` if the path is a directory, in which the item is stored under its
    /// own name.
    let name: String?
    private let path: String

    init(_ path: String) {
        self.path = path
        if (try? FileStatus.of(path).kind) == .directory {
            (folder, name) = (path, nil)
        } else {
            let url = URL(fileURLWithPath: path)
            let folder = url.deletingLastPathComponent().path
            (self.folder, name) = (folder.isEmpty ? "." : folder, url.path.lastPathName)
        }
    }

    /// Returns the absolute path at which an item is stored.
    func path(named own: String) -> String {
        URL(fileURLWithPath: folder).appendingPathComponent(name ?? own).path
    }

    /// Returns the item's path for messages, with the path from the command line as the user typed it.
    func shownPath(named own: String) -> String {
        name != nil ? path : (path.hasSuffix("/") ? path : path + "/") + own
    }

    /// Returns the names to try until a free name is found, in order.
    func names(for own: String, _ replacement: Replacement) -> some Sequence<String> {
        let first = name ?? (replacement.ownName ? own : ItemName.visible(own))
        return (1...).lazy.map { $0 == 1 ? first : ItemName.numbered(first, $0) }
    }

    /// Checks whether a file can be written to the destination, before the file is loaded. Some failures occur only
    /// later.
    ///
    /// - Parameter isFolder: whether the item is a directory. A directory replaces nothing.
    func check(forFolder isFolder: Bool = false) throws {
        try Self.checking(path) { () throws(Errno) in
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            // A folder is created, but a file cannot have a slash at the end of its name.
            if name != nil, path.hasSuffix("/"), !isFolder || Self.exists(path) {
                throw Self.exists(path) ? .notDirectory : .noSuchFile
            }
            guard let name else { return try Self.probe(directory) }
            if try isReplaced(name, in: directory, byFolder: isFolder) { try Self.probe(directory) }
        }
    }

    private static func exists(_ path: String) -> Bool { (try? FileStatus.of(path)) != nil }

    /// Checks whether files can be written to a directory, before they are loaded. Some failures occur only later.
    static func check(folder: String) throws {
        try checking(folder) { () throws(Errno) in try probe(.open(folder, [.readOnly, .directory])) }
    }

    private static func checking(_ path: String, _ body: () throws(Errno) -> Void) throws {
        do throws(Errno) { try body() } catch { throw CommandError("\(path): \(error)") }
    }

    private static func probe(_ directory: FileDescriptor) throws(Errno) {
        try retrying { faccessat(directory.rawValue, ".", W_OK | X_OK, AT_EACCESS) }
        do throws(Errno) {
            // Creates a file without a name, which is removed when it is closed. faccessat(2) does not suffice, because
            // it checks permissions only, and neither quotas nor security modules.
            _ = try directory.open(".", [.readWrite, .unnamedTemporary], permissions: 0o600)
        } catch .notSupported, .isDirectory, .invalidArgument, .noSystemCall, .noSuchFile {
            // The file system does not support such files.
            _ = try StagedFile(in: directory, replacing: true)
        }
    }

    /// Whether an item is stored under the given name as a new file, which replaces the existing file, if there is one.
    ///
    /// - Returns: `false` if the name is that of a device, a pipe or a descriptor of this process. Such a file is
    ///   written to instead.
    private func isReplaced(
        _ name: String, in directory: FileDescriptor, byFolder isFolder: Bool
    ) throws(Errno) -> Bool {
        guard let name = FileName(name) else { throw .invalidArgument }
        do throws(Errno) { _ = try directory.status(of: name) } catch .noSuchFile { return true }
        if isFolder { throw .fileExists }
        if Sink.ownDescriptor(name, in: directory) != nil { return false }
        switch try? directory.status(of: name, followingLinks: true).kind {
        case .characterDevice, .blockDevice, .fifo:
            try retrying { faccessat(directory.rawValue, name.characters, W_OK, AT_EACCESS) }
            return false
        case .socket: throw .invalidArgument
        default:
            // Write access to a file that is replaced is needed only if the file is immutable.
            do throws(Errno) {
                try retrying {
                    faccessat(directory.rawValue, name.characters, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW)
                }
            } catch .notPermitted {
                throw .notPermitted
            } catch {}
            return true
        }
    }
}
