import Glibc
import LinuxSystem

/// Salvages the readable entries of a damaged journal.
enum JournalSalvage {
    /// Renames a journal and its log to a name that no file has.
    ///
    /// - Returns: The new path of the journal.
    static func putAside(_ path: String) throws(IndexError) -> String {
        var number = 1
        while (try? FileStatus.of("\(path).damaged-\(number)")) != nil { number += 1 }
        let aside = "\(path).damaged-\(number)"
        do {
            // The log is renamed first. Otherwise a crash in between would leave a log that a new journal of the same
            // name applies.
            if (try? FileStatus.of(path + "-wal")) != nil { try retrying { rename(path + "-wal", aside + "-wal") } }
            try retrying { rename(path, aside) }
        } catch {
            throw .system("The damaged journal \(path) cannot be put aside: \(error)")
        }
        unlink(path + "-shm")
        return aside
    }

    /// Returns the readable entries of a damaged journal, and the number of unreadable entries. The provider may
    /// already have confirmed some of the returned entries, which a later comparison with the provider will show.
    ///
    /// A copy is read, so that the damaged file stays as it was found.
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
        let read = (try? Journal(opening: copy, readOnly: true))?.readableEntries() ?? ([], 0)
        guard let file = try? FileDescriptor.open(copy, .readOnly) else { return read }
        // The pages may have entries that SQLite cannot reach any more.
        var entries = JournalPages(file).entries
        for entry in read.0 { entries[entry.number.rawValue] = entry }
        return (entries.values.sorted { $0.number.rawValue < $1.number.rawValue }, read.1)
    }
}
