import Glibc
import LinuxSystem

/// Programs that were writing when a daemon died.
extension DomainEngine {
    /// What an item's file among the edits is, after programs were parted from it that still have it open for writing; `nil` where
    /// there is none.
    ///
    /// The kernel writes to a file that it passes through without asking anybody, also when the mount is dead: only closing it and
    /// fsync(2) fail. What is written in that way must get neither into what is taken to be clean nor into an edit while that is
    /// sent. So such programs keep the file that they have, and the item gets a copy of it, as it is now.
    func partedFromWriters(_ number: ItemNumber) throws -> FileStatus? {
        guard let file = try folders.open(number, in: folders.edits, .readOnly) else {
            writerMarks.unmark(number)
            return nil
        }
        for _ in 0..<Self.attempts {
            guard file.hasWriters else {
                writerMarks.unmark(number)
                return try file.status()
            }
            let name = ContentFolders.name(number) + ".parted"
            do {
                let copy = try UploadCopy.make(of: file, named: name, in: folders.uploads)
                let status = try file.status()
                try copy.synchronize()
                try UploadCopy.move(name, in: folders.uploads, to: folders.edits, as: ContentFolders.name(number))
                writerMarks.unmark(number)
                return status
            } catch UploadCopy.Failure.changing {
                continue
            } catch {
                // An edit that shares its file with a stranger is better than none.
                try? UploadCopy.remove(name, in: folders.uploads)
                break
            }
        }
        // The next start has another look.
        try? writerMarks.keep(number)
        return try file.status()
    }

    /// How often a copy is begun of a file that somebody goes on to write to.
    private static let attempts = 5
}
