import CLinux
import Glibc

/// A file that appears under its name only when it is complete.
///
/// Until then, the file has no name (O_TMPFILE) if the file system supports this. In that case, no file remains even if
/// the process is killed. On other file systems, the file has a hidden name, which is removed when this value is
/// released. If the process is killed, the hidden name remains until ``TemporaryName`` removes it.
package struct StagedFile: ~Copyable {
    /// The file, open for reading and writing. Its mode is 0600, unless the caller has chosen permissions.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Creates an empty file that can be published in the given directory. Until then, the file has no name if
    /// possible.
    ///
    /// - Parameter replacing: whether the file will replace another one (``replace(_:durably:)``). Such a file is
    ///   marked, because it gets a hidden name before it replaces the other file. A file whose mode was changed cannot
    ///   be marked later.
    package init(in directory: FileDescriptor, replacing: Bool = false) throws(Errno) {
        self.directory = directory
        do throws(Errno) {
            descriptor = try directory.open(".", [.readWrite, .unnamedTemporary], permissions: 0o600)
            temporaryName = nil
            if replacing {
                _ = descriptor.tryLock()
                TemporaryName.mark(descriptor)
            }
        } catch {
            switch error.rawValue {
            case EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS:
                TemporaryName.sweepMarkedOnce(directory)
                (descriptor, temporaryName) = try Self.makeNamed(in: directory, permissions: 0o600)
                TemporaryName.mark(descriptor)
            default: throw error
            }
        }
    }

    /// Creates an empty file with a hidden name.
    ///
    /// - Parameter permissions: the mode of the file, from which the umask is subtracted. A confined process cannot
    ///   change the mode later.
    package init(in directory: FileDescriptor, permissions: mode_t) throws(Errno) {
        self.directory = directory
        (descriptor, temporaryName) = try Self.makeNamed(in: directory, permissions: permissions)
        TemporaryName.mark(descriptor)
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

    /// Makes the file appear under the given name.
    ///
    /// - Throws: EEXIST if the directory has an entry with this name.
    package mutating func publish(as name: FileName) throws(Errno) {
        try checkWrites()
        if let temporaryName {
            try directory.rename(temporaryName, to: name)
            self.temporaryName = nil
            TemporaryName.unmark(descriptor)
        } else {
            try retrying { clinux_link_descriptor(descriptor.rawValue, directory.rawValue, name.characters) }
        }
    }

    private func checkWrites() throws(Errno) {
        // A network file system may report only at a close that the disk had no room for written bytes. The close of
        // any descriptor of the file causes this report.
        let copy = try retrying { fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3) }
        if Glibc.close(copy) < 0, Errno.current != .interrupted { throw .current }
    }

    /// Makes the file appear under the given name, and atomically replaces an entry that has this name.
    ///
    /// A file without a name cannot replace another one, so it first gets a hidden name. If the process is killed
    /// immediately afterwards, a file that was created with `replacing` remains until
    /// ``TemporaryName/sweepMarked(_:)`` removes it.
    ///
    /// - Parameter durably: whether to flush the file and the directory to disk, so that the result survives a power
    ///   failure.
    package mutating func replace(_ name: FileName, durably: Bool = true) throws(Errno) {
        try checkWrites()
        if durably { try descriptor.synchronize() }
        let hidden: FileName
        if let temporaryName { hidden = temporaryName } else { hidden = try linkTemporarily() }
        let directory = directory
        try retrying { renameat(directory.rawValue, hidden.characters, directory.rawValue, name.characters) }
        temporaryName = nil
        TemporaryName.unmark(descriptor)
        guard durably else { return }
        // Ignores errors: some file systems cannot flush a directory.
        try? directory.synchronize()
    }

    /// Gives the file a hidden name, and returns the name.
    private mutating func linkTemporarily() throws(Errno) -> FileName {
        while true {
            let name = TemporaryName.random()
            do throws(Errno) {
                try descriptor.link(into: directory, as: name)
            } catch .fileExists {
                continue
            }
            temporaryName = name
            StagedFileStep.linked.reach()
            return name
        }
    }
}

/// The fault points of a ``StagedFile``.
package enum StagedFileStep: String, FaultPoint {
    /// The complete file has a hidden name, and is about to replace another file.
    case linked = "file.staged.linked"
}
