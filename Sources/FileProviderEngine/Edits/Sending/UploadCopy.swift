import Glibc
import ItemStore
import LinuxSystem

/// A snapshot of a file's contents from which an upload reads, because programs may change the file meanwhile.
///
/// The copy stays until the provider has confirmed the contents. After a crash, the contents at the provider are
/// compared with the copy.
enum UploadCopy {
    enum UploadCopyError: Error {
        /// The file was written to while it was copied. A retry can succeed once the file is no longer written to.
        case changing
        case noSpace
        case system(Errno)

        init(_ error: Errno) { self = error == .noSpace || error == .quotaExceeded ? .noSpace : .system(error) }
    }

    /// Ensures that every later write to the given file changes its modification date, including writes through memory
    /// mappings.
    static func seal(_ file: FileDescriptor) throws(UploadCopyError) {
        do throws(Errno) { try file.synchronizeData() } catch { throw UploadCopyError(error) }
    }

    /// Copies the given file and opens the copy for reading. Blocks until the copy is complete.
    ///
    /// - Parameters:
    ///   - name: The copy's name. An older copy with this name is replaced.
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

    /// Renames the copy `name` to the first of the names `older`, the copy with that name to the second, and so on. The
    /// copy with the last name is deleted. If the copy `name` does not exist, for example because the disk was full, no
    /// copy is renamed.
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

    /// Renames a copy, replacing a file that has the new name.
    static func move(
        _ name: String, in folder: FileDescriptor, to target: FileDescriptor, as newName: String
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, name, target.rawValue, newName) }
    }
}

extension ContentFolders {
    /// Deletes the upload copies of the given item.
    func removeUploads(of number: ItemNumber) {
        for name in UploadName.all(number) { try? UploadCopy.remove(name, in: uploads) }
    }

    /// Renames the upload copies of an item that was replaced, so that they belong to its successor. The provider may
    /// have the contents of one of them.
    func passUploads(of number: ItemNumber, to successor: ItemNumber) {
        for (name, newName) in zip(UploadName.all(number), UploadName.all(successor)) {
            try? UploadCopy.move(name, in: uploads, to: uploads, as: newName)
        }
    }
}
