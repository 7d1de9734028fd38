import Glibc
import ItemStore
import LinuxSystem

/// A snapshot of a file's contents, from which an upload reads while programs may change the file again.
///
/// The copy stays until the provider has confirmed the contents. After a crash, the provider's contents are compared
/// with it.
enum UploadCopy {
    enum UploadCopyError: Error {
        /// The file was written to meanwhile. The copy can be retried when the file is stable.
        case changing
        case noSpace
        case system(Errno)

        init(_ error: Errno) { self = error == .noSpace || error == .quotaExceeded ? .noSpace : .system(error) }
    }

    /// Ensures that every later write to a file changes its modification date, including writes through mappings.
    static func seal(_ file: FileDescriptor) throws(UploadCopyError) {
        do throws(Errno) { try file.synchronizeData() } catch { throw UploadCopyError(error) }
    }

    /// Makes the copy and opens it for reading. Blocks until the copy is complete.
    ///
    /// - Parameters:
    ///   - name: The copy's name; an older copy of that name is replaced.
    ///   - folder: The directory for copies.
    static func make(of file: FileDescriptor, named name: String, in folder: FileDescriptor) throws(UploadCopyError)
        -> FileDescriptor
    {
        do {
            let before = try file.status()
            try remove(name, in: folder)
            try FileCopier.copy(file, into: folder, named: name)
            let after = try file.status()
            guard before.identity == after.identity, FileFingerprint(before) == FileFingerprint(after) else {
                try remove(name, in: folder)
                throw UploadCopyError.changing
            }
            return try folder.open(name, [.readOnly, .noFollow])
        } catch let failure as UploadCopyError {
            throw failure
        } catch let error as Errno {
            throw UploadCopyError(error)
        } catch let error as CopyError {
            switch error {
            case .changedDuringCopy: throw .changing
            case .noSpace: throw .noSpace
            case .system(let errno, _): throw .system(errno)
            default: throw .system(.inputOutput)
            }
        } catch {
            throw .system(.inputOutput)
        }
    }

    static func remove(_ name: String, in folder: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try retrying { unlinkat(folder.rawValue, name, 0) }
        } catch .noSuchFile {}
    }

    /// Renames a copy to the first of the older names, the copy with that name to the second, and so on. The last copy
    /// is deleted. If the copy does not exist, for example because the disk was full, all names stay as they are.
    static func keep(_ name: String, as older: [String], in folder: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            _ = try folder.status(of: name)
        } catch .noSuchFile {
            return
        }
        for index in older.indices.reversed() {
            let before = index == 0 ? name : older[index - 1]
            if renameat(folder.rawValue, before, folder.rawValue, older[index]) < 0, Errno.current != .noSuchFile {
                throw .current
            }
        }
    }

    /// Renames a copy, replacing a file of the new name.
    static func move(
        _ name: String, in folder: FileDescriptor, to target: FileDescriptor, as newName: String
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, name, target.rawValue, newName) }
    }
}

extension ContentFolders {
    /// Removes the upload copies of an item.
    func removeUploads(of number: ItemNumber) {
        for name in UploadName.all(number) { try? UploadCopy.remove(name, in: uploads) }
    }

    /// Passes the upload copies of a replaced item to its successor, because the provider may hold the contents of one
    /// of them.
    func passUploads(of number: ItemNumber, to successor: ItemNumber) {
        for (name, newName) in zip(UploadName.all(number), UploadName.all(successor)) {
            try? UploadCopy.move(name, in: uploads, to: uploads, as: newName)
        }
    }
}
