import CLinux
import Glibc

/// A file that is not visible until it is whole.
///
/// It has no name at all (O_TMPFILE) where the file system can do that, so that not even a killed process leaves
/// anything; otherwise a hidden name that is removed with this value, or by a later ``TemporaryName/sweep(_:)`` where the folder
/// is the caller's own.
package struct StagedFile: ~Copyable {
    /// The file, open for reading and writing, with mode 0600.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Makes an empty one in the directory where it will get its name.
    package init(in directory: FileDescriptor) throws(Errno) {
        self.directory = directory
        do throws(Errno) {
            descriptor = try directory.open(".", [.readWrite, .unnamedTemporary], permissions: 0o600)
            temporaryName = nil
        } catch {
            switch error.rawValue {
            case EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS:
                (descriptor, temporaryName) = try Self.makeNamed(in: directory, permissions: 0o600)
                TemporaryName.mark(descriptor)
            default: throw error
            }
        }
    }

    /// Makes an empty one that is to take the place of another file, which only a file with a name can do. The process's mask
    /// for new files applies to its permissions, which whoever may not change them later has to give now.
    package init(in directory: FileDescriptor, permissions: mode_t) throws(Errno) {
        self.directory = directory
        (descriptor, temporaryName) = try Self.makeNamed(in: directory, permissions: permissions)
    }

    /// The same under a name of the caller's, who knows of it when the process is killed; EEXIST where that is taken.
    package init(in directory: FileDescriptor, permissions: mode_t, named name: FileName) throws(Errno) {
        self.directory = directory
        descriptor = try directory.createFile(name, permissions: permissions)
        temporaryName = name
    }

    deinit {
        if let temporaryName { try? directory.removeFile(temporaryName) }
    }

    private static func makeNamed(
        in directory: FileDescriptor, permissions: mode_t
    ) throws(Errno) -> (FileDescriptor, FileName) {
        while true {
            let name = TemporaryName.random()
            do throws(Errno) {
                let file = try directory.createFile(name, permissions: permissions)
                if try TemporaryName.lock(file) { return (file, name) }
            } catch .fileExists {
                continue
            }
        }
    }

    /// Makes the file appear under its name; EEXIST where that is taken.
    package mutating func publish(as name: FileName) throws(Errno) {
        // Network file systems may say only now that bytes did not fit; closing any descriptor of the file asks them.
        let copy = try retrying { fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3) }
        if Glibc.close(copy) < 0, Errno.current != .interrupted { throw .current }
        if let temporaryName {
            try directory.rename(temporaryName, to: name)
            self.temporaryName = nil
            TemporaryName.unmark(descriptor)
        } else {
            try retrying { clinux_link_descriptor(descriptor.rawValue, directory.rawValue, name.characters) }
        }
    }

    /// Makes the file appear under a name in the place of what has it, in one step. For one that was made with permissions.
    ///
    /// - Parameter durably: whether both are on the disk by then, so that not even a loss of power undoes it.
    package mutating func replace(_ name: FileName, durably: Bool = true) throws(Errno) {
        guard let temporaryName else { throw .invalidArgument }
        if durably { try descriptor.synchronize() }
        let directory = directory
        try retrying {
            renameat(directory.rawValue, temporaryName.characters, directory.rawValue, name.characters)
        }
        self.temporaryName = nil
        guard durably else { return }
        // A folder on a file system that cannot do that is as safe as it gets.
        try? directory.synchronize()
    }
}
