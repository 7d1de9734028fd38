import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The files that an arriving item may replace in a folder. A file that PATH itself names is always replaced.
///
/// The name in a folder is chosen by the program that made the offer: by default it replaces nothing and makes no hidden file, such
/// as one that a shell would run.
struct Replacement: Sendable {
    /// Whether a file that has the item's own name is replaced.
    var ownName = false
    /// Files that are not replaced even so.
    var except: Set<FileStatus.Identity> = []

    /// Whether a file that has the name is replaced; `nil` where there is none.
    func allows(_ there: FileStatus.Identity?) -> Bool { ownName && !(there.map(except.contains) ?? false) }
}

/// The place that a path on the command line means.
struct Destination {
    let folder: String
    /// The name there; `nil` where the path is that of a folder, in which an item gets its own.
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

    /// The absolute path of an item there.
    func path(named own: String) -> String {
        URL(fileURLWithPath: folder).appendingPathComponent(name ?? own).path
    }

    /// The path of an item there as the command line began it, for messages.
    func shownPath(named own: String) -> String {
        name != nil ? path : (path.hasSuffix("/") ? path : path + "/") + own
    }

    /// Names to try, one after the other.
    func names(for own: String, _ replacement: Replacement) -> some Sequence<String> {
        let first = name ?? (replacement.ownName ? own : ItemName.visible(own))
        return (1...).lazy.map { $0 == 1 ? first : ItemName.numbered(first, $0) }
    }

    /// Finds out whether a file can be put there, as far as that can be told before it is fetched.
    ///
    /// - Parameter isFolder: whether a folder is to be put there, which replaces nothing.
    func check(forFolder isFolder: Bool = false) throws {
        try Self.checking(path) { () throws(Errno) in
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            guard let name else { return try Self.probe(directory) }
            if try isReplaced(name, in: directory, byFolder: isFolder) { try Self.probe(directory) }
        }
    }

    /// Finds out whether files can be put into a folder, as far as that can be told before.
    static func check(folder: String) throws {
        try checking(folder) { () throws(Errno) in try probe(.open(folder, [.readOnly, .directory])) }
    }

    private static func checking(_ path: String, _ body: () throws(Errno) -> Void) throws {
        do throws(Errno) { try body() } catch { throw CommandError("\(path): \(error)") }
    }

    private static func probe(_ directory: FileDescriptor) throws(Errno) {
        try retrying { faccessat(directory.rawValue, ".", W_OK | X_OK, AT_EACCESS) }
        do throws(Errno) {
            // A file without a name, gone at once: access alone does not speak of quotas, nor of rules beside the permissions.
            _ = try directory.open(".", [.readWrite, .unnamedTemporary], permissions: 0o600)
        } catch .notSupported, .isDirectory, .invalidArgument, .noSystemCall, .noSuchFile {
            // The file system has none: what else there is to ask was asked.
        }
    }

    /// - Returns: `false` for a device or pipe, and for a descriptor of this process: each is written to where it is.
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
        default: return true
        }
    }
}
