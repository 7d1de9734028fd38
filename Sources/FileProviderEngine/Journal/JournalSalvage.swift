import Glibc
import LinuxSystem

/// Saves what can be read of a damaged journal.
enum JournalSalvage {
    /// Moves a journal and the files that belong to it to a name that is free.
    ///
    /// - Returns: the new path.
    static func putAside(_ path: String) throws(IndexFailure) -> String {
        var number = 1
        while (try? FileStatus.of("\(path).damaged-\(number)")) != nil { number += 1 }
        let aside = "\(path).damaged-\(number)"
        do {
            // The log goes first: what it holds belongs to the file that it lies beside.
            if (try? FileStatus.of(path + "-wal")) != nil { try retrying { rename(path + "-wal", aside + "-wal") } }
            try retrying { rename(path, aside) }
        } catch {
            throw .system("The damaged journal \(path) cannot be put aside: \(error)")
        }
        unlink(path + "-shm")
        return aside
    }

    /// Reads a copy, so that the damaged file stays as it was found.
    static func entries(of path: String) -> (entries: [JournalEntry], unreadable: Int) {
        let copy = path + ".copy"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
        for suffix in ["", "-wal"] {
            guard let source = try? FileDescriptor.open(path + suffix, .readOnly),
                let bytes = try? source.readToEnd(limit: 1 << 30),
                let target = try? FileDescriptor.open(copy + suffix, [.writeOnly, .create, .truncate])
            else { continue }
            bytes.withUnsafeBytes { try? target.writeAll($0) }
        }
        guard let journal = try? Journal(opening: copy, readOnly: true) else { return ([], 0) }
        return journal.readableEntries()
    }
}
