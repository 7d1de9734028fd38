import Foundation
import Glibc
import LinuxSystem

/// What is in a folder: by path, what there is.
enum Tree {
    /// Reads everything, hidden names too: “folder”, “-> target” or the contents of a file.
    static func read(_ folder: String) throws -> [String: String] {
        var found: [String: String] = [:]
        try read(folder, "", &found)
        return found
    }

    private static func read(_ folder: String, _ prefix: String, _ found: inout [String: String]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = folder + "/" + name
            // Gone since the folder was read, or about to.
            guard let status = try? FileStatus.of(path, followingLinks: false) else { continue }
            switch status.kind {
            case .directory:
                found[prefix + name] = "folder"
            case .symbolicLink:
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                found[prefix + name] = "-> " + (target ?? "")
            default:
                found[prefix + name] = try? Files.read(path)
            }
            if found[prefix + name] == "folder" { try read(path, prefix + name + "/", &found) }
        }
    }

    /// Makes what ``read(_:)`` would find.
    static func make(_ tree: [String: String], in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (path, what) in tree.sorted(by: { $0.key < $1.key }) {
            if what == "folder" {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + path, withIntermediateDirectories: true)
            } else {
                try Data(what.utf8).write(to: URL(fileURLWithPath: folder + "/" + path))
            }
        }
    }

    /// Folders of a name, wherever they are in another.
    static func folders(named name: String, in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { ($0 as NSString).lastPathComponent == name }.map { folder + "/" + $0 }
    }
}

/// What a program does to files, each call by itself.
enum Files {
    static func read(_ path: String) throws(Errno) -> String {
        String(decoding: try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 26), as: UTF8.self)
    }

    /// Opens a file, writes to its beginning and closes it, as a program does that looks at every answer.
    static func write(_ text: String, to path: String, _ flags: CInt) throws(Errno) {
        let file = try retrying { Glibc.open(path, flags | O_CLOEXEC, 0o644) }
        do throws(Errno) {
            let bytes = Array(text.utf8)
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
                }
                if count < 0, Errno.current != .interrupted { throw Errno.current }
                written += max(0, count)
            }
        } catch {
            Glibc.close(file)
            throw error
        }
        if Glibc.close(file) < 0 { throw .current }
    }

    /// Opens a file for writing and closes it.
    static func touch(_ path: String) throws(Errno) { try write("", to: path, O_RDWR) }

    static func rename(_ path: String, to newPath: String) throws(Errno) {
        try retrying { Glibc.rename(path, newPath) }
    }

    static func remove(_ path: String) throws(Errno) { try retrying { unlink(path) } }
    static func removeFolder(_ path: String) throws(Errno) { try retrying { rmdir(path) } }
    static func makeFolder(_ path: String) throws(Errno) { try retrying { mkdir(path, 0o755) } }
    static func makeLink(_ path: String, to target: String) throws(Errno) { try retrying { symlink(target, path) } }
    static func isThere(_ path: String) -> Bool { (try? FileStatus.of(path, followingLinks: false)) != nil }

    static func inode(_ path: String) throws(Errno) -> UInt64 {
        try FileStatus.of(path, followingLinks: false).identity.inode
    }
}
