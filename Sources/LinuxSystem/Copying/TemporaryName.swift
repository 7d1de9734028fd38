import CLinux
import Glibc

/// Names of what is not whole yet. A leading dot hides them, and whoever makes one holds its lock as long as it works.
///
/// A name alone says nothing: any file may be called like this. In a folder of the caller's own all of them are leftovers; in one of a
/// user's only those with a mark that names the very file, which no copy and no other file has.
package enum TemporaryName {
    private static let prefix = ".purvey-partial-"
    private static let mark = "user.purvey.partial"

    package static func random() -> FileName {
        var digits = String(UInt64.random(in: .min ... .max), radix: 16)
        digits = String(repeating: "0", count: 16 - digits.count) + digits
        return FileName(literal: prefix + digits)
    }

    /// Removes the leftovers of killed processes from a directory that only such processes use: temporary names of this user whose lock
    /// is free. What cannot be removed is left for the next time.
    package static func sweep(_ directory: FileDescriptor) { sweep(directory) { _ in true } }

    /// Removes the marked leftovers of killed processes from a directory that others use too.
    static func sweepMarked(_ directory: FileDescriptor) { sweep(directory, where: isMarked) }

    private static func sweep(_ directory: FileDescriptor, where isLeftover: (FileDescriptor) -> Bool) {
        guard let own = try? directory.open(".", [.readOnly, .directory]), let entries = try? own.entries() else {
            return
        }
        for entry in entries where entry.name.description.hasPrefix(prefix) {
            guard let file = try? own.open(entry: entry.name, [.readOnly, .nonBlocking]),
                let status = try? file.status(), status.owner == geteuid(), isLeftover(file),
                clinux_try_lock(file.rawValue) == 0
            else { continue }
            try? TreeRemover.remove(entry.name, in: own)
        }
    }

    /// Takes the lock of a new temporary file or directory. `false` where a sweep was faster; then it is gone.
    static func lock(_ file: FileDescriptor) throws(Errno) -> Bool {
        if clinux_try_lock(file.rawValue) < 0 {
            let error = Errno.current
            if error == .wouldBlock { return false }
            // Without locks on this file system no sweep gets one either.
            return true
        }
        return try file.status().raw.st_nlink > 0
    }

    // MARK: Marks

    /// Marks a new temporary directory, where the file system and the process's confinement let it; without a mark a leftover stays.
    static func mark(_ file: FileDescriptor) {
        guard let value = value(of: file) else { return }
        let _: Int32? = try? retrying { clinux_fsetxattr(file.rawValue, mark, value, value.count, 0) }
    }

    /// Takes the mark away from what is whole.
    static func unmark(_ file: FileDescriptor) { clinux_fremovexattr(file.rawValue, mark) }

    private static func isMarked(_ file: FileDescriptor) -> Bool {
        guard let value = value(of: file) else { return false }
        var found = [CChar](repeating: 0, count: 128)
        let count = clinux_fgetxattr(file.rawValue, mark, &found, found.count)
        return count >= 0 && Array(found[..<count]) == value
    }

    /// Names the file itself.
    private static func value(of file: FileDescriptor) -> [CChar]? {
        guard let (status, birth) = try? file.statusAndBirth() else { return nil }
        return "\(status.identity.inode).\(birth)".utf8.map { CChar(bitPattern: $0) }
    }
}
