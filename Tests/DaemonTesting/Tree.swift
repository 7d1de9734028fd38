import Foundation
import Glibc
import LinuxSystem

/// The items beneath a directory, by path.
package enum Tree {
    /// Reads all items, including hidden ones: “folder”, “-> target” or the contents of a file, by path.
    package static func read(_ folder: String) throws -> [String: String] {
        var found: [String: String] = [:]
        try read(folder, "", &found)
        return found
    }

    private static func read(_ folder: String, _ prefix: String, _ found: inout [String: String]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = folder + "/" + name
            // The file may have been removed since the directory was read.
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

    /// Makes the items that ``read(_:)`` would find.
    package static func make(_ tree: [String: String], in folder: String) throws {
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

    /// Returns the paths of all directories of a name beneath a directory.
    package static func folders(named name: String, in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { ($0 as NSString).lastPathComponent == name }.map { folder + "/" + $0 }
    }
}
