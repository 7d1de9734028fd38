import FileProvider
import Glibc
import ItemStore
import LinuxSystem

/// Handles processes that had files open for writing when a daemon died.
extension EditRecovery {
    /// Returns the status of the given item's edited file; `nil` if there is no such file. If other processes have the
    /// file open for writing, first replaces the item's file by a copy.
    ///
    /// With passthrough, the kernel writes to the file without asking the daemon, even when the mount is dead: only
    /// close and fsync(2) fail. Such writes must change neither clean contents nor an edit that is being sent.
    /// Therefore these processes keep the original file, and the item gets a copy of it.
    func partedFromWriters(_ number: ItemNumber) throws -> FileStatus? {
        guard let file = try folders.open(number, in: folders.edits, .readOnly) else {
            writing.marks.unmark(number)
            return nil
        }
        for _ in 0..<Self.attempts {
            guard file.hasWriters else {
                writing.marks.unmark(number)
                return try file.status()
            }
            let name = ContentFolders.name(number) + ".parted"
            do {
                let copy = try UploadCopy.make(of: file, named: name, in: folders.uploads)
                let status = try file.status()
                try copy.synchronize()
                try UploadCopy.move(name, in: folders.uploads, to: folders.edits, as: ContentFolders.name(number))
                writing.marks.unmark(number)
                return status
            } catch UploadCopy.UploadCopyError.changing {
                continue
            } catch {
                // If the copy fails, the edit shares its file with another process. This is better than losing the
                // edit.
                try? UploadCopy.remove(name, in: folders.uploads)
                break
            }
        }
        // The next start tries again.
        try? writing.marks.keep(number)
        return try file.status()
    }

    /// The number of attempts to copy a file to which another process is writing.
    private static let attempts = 5
}
