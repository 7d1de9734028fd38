import CLinux
import Glibc

/// A file that appears under its name only when it is complete.
///
/// Until then it has no name (O_TMPFILE) if the file system supports that, so that even a killed process leaves
/// nothing. Otherwise it has a hidden name. The hidden name is removed when this value is released. After a crash,
/// ``TemporaryName/sweep(_:)`` removes it, if the directory belongs to the caller.
package struct StagedFile: ~Copyable {
    /// The file, open for reading and writing, with mode 0600.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Creates an empty file, to be published in the given directory. The file may have no name until then.
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

    /// Creates an empty file that can replace another one, which requires a hidden name.
    ///
    /// - Parameter permissions: the mode of the file, less the umask. A confined process cannot change it later.
    package init(in directory: FileDescriptor, permissions: mode_t) throws(Errno) {
        self.directory = directory
        (descriptor, temporaryName) = try Self.makeNamed(in: directory, permissions: permissions)
    }

    /// Creates an empty file under a temporary name that the caller chooses, so that the caller can find it after a
    /// crash.
    ///
    /// - Throws: EEXIST if the name is taken.
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

    /// Makes the file appear under its name.
    ///
    /// - Throws: EEXIST if the name is taken.
    package mutating func publish(as name: FileName) throws(Errno) {
        // Network file systems may report only at a close that bytes did not fit. Closing any descriptor of the file
        // has that effect.
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

    /// Makes the file appear under a name, and atomically replaces an entry that has it. The file must have been
    /// created with permissions.
    ///
    /// - Parameter durably: whether to flush the file and the directory to disk, so that the result survives a power
    ///   failure.
    package mutating func replace(_ name: FileName, durably: Bool = true) throws(Errno) {
        guard let temporaryName else { throw .invalidArgument }
        if durably { try descriptor.synchronize() }
        let directory = directory
        try retrying {
            renameat(directory.rawValue, temporaryName.characters, directory.rawValue, name.characters)
        }
        self.temporaryName = nil
        guard durably else { return }
        // Ignores errors: some file systems cannot flush a directory.
        try? directory.synchronize()
    }
}
