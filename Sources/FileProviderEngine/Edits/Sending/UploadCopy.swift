import Glibc
import LinuxSystem

/// A copy of a file's contents as they are at one moment, which an upload reads while the file itself may change again.
///
/// The copy stays until the provider has confirmed the contents: after a crash it tells whether what the provider has then is what
/// was sent to it.
enum UploadCopy {
    enum Failure: Error {
        /// It was written to meanwhile: to be tried again when it has settled.
        case changing
        case noSpace
        case system(Errno)

        init(_ error: Errno) { self = error == .noSpace || error == .quotaExceeded ? .noSpace : .system(error) }
    }

    /// Has what is written to a file from now on change its date, through mappings too.
    static func seal(_ file: FileDescriptor) throws(Failure) {
        do throws(Errno) { try file.synchronizeData() } catch { throw Failure(error) }
    }

    /// Makes the copy and opens it for reading. Blocks for as long as that takes.
    ///
    /// - Parameters:
    ///   - name: the copy's; an older one of that name is replaced.
    ///   - folder: where copies are kept.
    static func make(of file: FileDescriptor, named name: String, in folder: FileDescriptor) throws(Failure)
        -> FileDescriptor
    {
        do {
            let before = try file.status()
            try remove(name, in: folder)
            try FileCopier.copy(file, into: folder, named: name)
            let after = try file.status()
            guard before.identity == after.identity, ContentStamp(before) == ContentStamp(after) else {
                try remove(name, in: folder)
                throw Failure.changing
            }
            return try folder.open(name, [.readOnly, .noFollow])
        } catch let failure as Failure {
            throw failure
        } catch let error as Errno {
            throw Failure(error)
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

    /// Gives a copy the first of some names, what had that the second, and so on; the last one goes. Where there is no such copy, as
    /// after one that there was no room for, all stay what they are.
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

    /// Renames over what has the name.
    static func move(
        _ name: String, in folder: FileDescriptor, to target: FileDescriptor, as newName: String
    ) throws(Errno) {
        try retrying { renameat(folder.rawValue, name, target.rawValue, newName) }
    }
}
