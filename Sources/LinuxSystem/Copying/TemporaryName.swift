import CLinux
import Glibc

/// Names of what is not whole yet. A leading dot hides them, and whoever makes one holds its lock as long as it works.
package enum TemporaryName {
    private static let prefix = ".purvey-partial-"

    static func random() -> FileName {
        var digits = String(UInt64.random(in: .min ... .max), radix: 16)
        digits = String(repeating: "0", count: 16 - digits.count) + digits
        return FileName(literal: prefix + digits)
    }

    /// Whether a name is one of these, whoever made it.
    package static func isTemporary(_ name: FileName) -> Bool { name.description.hasPrefix(prefix) }

    /// Removes what killed processes left unfinished in a directory: temporary names of this user whose lock nobody
    /// holds. What cannot be removed is left for the next time.
    package static func sweep(_ directory: FileDescriptor) {
        guard let own = try? directory.open(".", [.readOnly, .directory]), let entries = try? own.entries() else {
            return
        }
        for entry in entries where entry.name.description.hasPrefix(prefix) {
            guard let file = try? own.open(entry: entry.name, [.readOnly, .nonBlocking]),
                let status = try? file.status(), status.owner == geteuid(),
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
}
