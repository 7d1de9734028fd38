import Foundation
import Glibc
import LinuxSystem

/// The comparison of a result with its original, independent of the code that transferred it.
enum FileComparison {
    /// Whether two paths lead to the same file.
    static func areSameFile(_ one: String, _ other: String) -> Bool {
        guard let one = status(one), let other = status(other) else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Returns the first difference between two files or trees, or nil if they are equal. Compares names, kinds, bytes,
    /// targets of links and, if `permissions` is set, permissions. A copy that was made from bare data has no
    /// permissions.
    static func difference(_ original: String, _ copy: String, permissions: Bool = true) throws -> String? {
        let files = FileManager.default
        guard let expected = status(original), let found = status(copy) else { return "\(copy) is missing" }
        guard expected.st_mode & S_IFMT == found.st_mode & S_IFMT else { return "\(copy) is of another kind" }
        switch expected.st_mode & S_IFMT {
        case S_IFLNK:
            let targets = try [original, copy].map(files.destinationOfSymbolicLink(atPath:))
            return targets[0] == targets[1] ? nil : "\(copy) points elsewhere"
        case S_IFDIR:
            let names = try files.contentsOfDirectory(atPath: original).sorted()
            guard try files.contentsOfDirectory(atPath: copy).sorted() == names else {
                return "\(copy) has other entries"
            }
            for name in names {
                if let difference = try difference(original + "/" + name, copy + "/" + name) { return difference }
            }
        default:
            let contents = try [original, copy].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            guard contents[0] == contents[1] else { return "\(copy) has other bytes" }
        }
        guard permissions, expected.st_mode & 0o777 != found.st_mode & 0o777 else { return nil }
        return "\(copy) has other permissions"
    }

    /// Returns the first difference between a directory and a zip archive of it. The directory must be the archive's
    /// only root entry.
    ///
    /// The archive is unpacked by Info-ZIP's `unzip`, an independent reader.
    static func difference(_ folder: String, archive: Data) throws -> String? {
        let files = FileManager.default
        let scratch = files.temporaryDirectory.appendingPathComponent("purvey-demo-\(UUID().uuidString)")
        try files.createDirectory(at: scratch, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: scratch) }
        let zip = scratch.appendingPathComponent("archive.zip")
        let unpacked = scratch.appendingPathComponent("unpacked")
        try archive.write(to: zip)
        let unzip = try Child.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["unzip", "-q", zip.path, "-d", unpacked.path])
        guard unzip.ending == .exited(0) else { return "unzip cannot read the archive: \(unzip.text)" }
        let name = URL(fileURLWithPath: folder).lastPathComponent
        guard try files.contentsOfDirectory(atPath: unpacked.path) == [name] else {
            return "\(name) is not the only root entry of the archive"
        }
        return try difference(folder, unpacked.appendingPathComponent(name).path)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
