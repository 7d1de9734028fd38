import CLinux
import Glibc

/// Creates the names of incomplete files and directories, and removes leftovers that have such names. The names begin
/// with a dot, which hides them. The process that creates such a file holds a lock on the file until it is complete.
///
/// In a directory that only this process and others like it use, all unlocked files with such names are leftovers. In a
/// user's directory, the user's own files may have such names, too. There, a leftover is recognized by a mark: an
/// extended attribute with the file's inode number and birth time.
///
/// A user's file cannot have the mark by accident. A copy of a leftover has the attribute, but another inode number or
/// birth time, even if the copy replaces the leftover. Neither value can be chosen when a file is created, so a file
/// from an archive does not match either. If a user renames a leftover or adds a hard link, the new name is not
/// removed, because it has another form. Where inode numbers or birth times are not stored, files get no mark, and
/// leftovers stay.
package enum TemporaryName {
    private static let prefix = ".purvey-partial-"
    /// The name of the attribute that is the mark.
    static let mark = "user.purvey.partial"

    package static func random() -> FileName {
        var digits = String(UInt64.random(in: .min ... .max), radix: 16)
        digits = String(repeating: "0", count: 16 - digits.count) + digits
        return FileName(literal: prefix + digits)
    }

    /// Removes leftovers of killed processes from a directory that only such processes use: entries of this user with a
    /// temporary name and no lock. Ignores errors, because a later sweep tries again.
    package static func sweep(_ directory: FileDescriptor) { sweep(directory) { _ in true } }

    /// Removes leftovers of killed processes from a directory that may contain other files. Removes only files that
    /// have the mark. Does not read a directory whose files cannot have it.
    package static func sweepMarked(_ directory: FileDescriptor) {
        if value(of: directory) != nil { sweep(directory, where: isMarked) }
    }

    // Leaf lock.
    private static let swept = Lock<Set<SweptDirectory>>([])

    private struct SweptDirectory: Hashable {
        let device: UInt64
        let value: [CChar]
    }

    /// Removes leftovers as ``sweepMarked(_:)`` does, but only once for each directory. Otherwise, many copies into a
    /// large directory would read the directory for each file.
    static func sweepMarkedOnce(_ directory: FileDescriptor) {
        guard let value = value(of: directory), let device = try? directory.status().identity.device else { return }
        let isFirst = swept.withLock { $0.insert(SweptDirectory(device: device, value: value)).inserted }
        if isFirst { sweep(directory, where: isMarked) }
    }

    private static func sweep(_ directory: FileDescriptor, where isLeftover: (FileDescriptor) -> Bool) {
        guard let own = try? directory.open(".", [.readOnly, .directory]), let entries = try? own.entries() else {
            return
        }
        for entry in entries where hasForm(entry.name.description) {
            guard let file = try? own.open(entry: entry.name, [.readOnly, .nonBlocking]),
                let status = try? file.status(), status.owner == geteuid(), isLeftover(file),
                clinux_try_lock(file.rawValue) == 0
            else { continue }
            try? TreeRemover.remove(entry.name, in: own)
        }
    }

    /// Whether a name has the form of ``random()``: the prefix and 16 hexadecimal digits.
    private static func hasForm(_ name: String) -> Bool {
        guard name.utf8.starts(with: prefix.utf8) else { return false }
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return digits.count == 16 && digits.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Whether an entry of a directory is an incomplete file, or was left incomplete by a killed process.
    package static func isIncomplete(_ name: String, in directory: FileDescriptor) -> Bool {
        guard hasForm(name), let entry = FileName(name),
            let file = try? directory.open(entry: entry, [.readOnly, .nonBlocking])
        else { return false }
        return isMarked(file)
    }

    /// Locks a new temporary file or directory. Returns `false` if a concurrent sweep has locked the file first, and
    /// removes it.
    static func lock(_ file: FileDescriptor) throws(Errno) -> Bool {
        if clinux_try_lock(file.rawValue) < 0 {
            let error = Errno.current
            if error == .wouldBlock { return false }
            // Without support for locks, a sweep cannot lock the file either and leaves it alone.
            return true
        }
        return try file.status().raw.st_nlink > 0
    }

    // MARK: Marks

    /// Marks a new temporary file or directory, if the file system and the process's confinement allow it. A leftover
    /// without a mark is not removed.
    static func mark(_ file: FileDescriptor) {
        guard let value = value(of: file) else { return }
        let _: Int32? = try? retrying { clinux_fsetxattr(file.rawValue, mark, value, value.count, 0) }
    }

    /// Removes the mark from a file or directory that is complete.
    static func unmark(_ file: FileDescriptor) {
        guard clinux_fremovexattr(file.rawValue, mark) < 0, Errno.current == .permissionDenied,
            let mode = try? file.status().raw.st_mode
        else { return }
        // If the mode forbids the owner to write the file, the owner cannot remove its attributes either.
        guard fchmod(file.rawValue, mode | S_IWUSR) == 0 else { return }
        clinux_fremovexattr(file.rawValue, mark)
        fchmod(file.rawValue, mode)
    }

    private static func isMarked(_ file: FileDescriptor) -> Bool {
        guard let value = value(of: file) else { return false }
        var found = [CChar](repeating: 0, count: 128)
        let count = clinux_fgetxattr(file.rawValue, mark, &found, found.count)
        return count >= 0 && Array(found[..<count]) == value
    }

    /// Returns the value that the file's mark must have; `nil` if the file system does not store both inode numbers and
    /// birth times.
    private static func value(of file: FileDescriptor) -> [CChar]? {
        guard let (status, birth) = try? file.statusAndBirth(), birth != 0, !file.hasPassingInodes else { return nil }
        return "\(status.identity.inode).\(birth)".utf8.map { CChar(bitPattern: $0) }
    }
}
