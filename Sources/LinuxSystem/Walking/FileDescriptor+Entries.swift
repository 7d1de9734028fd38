import CLinux
import Glibc

/// System calls on an entry of this directory. By default, they do not follow the entry if it is a symbolic link.
extension FileDescriptor {
    /// Opens an entry of this directory. openat2(2) guarantees that the opened file is in this directory.
    ///
    /// If the kernel or a seccomp filter refuses that call, openat(2) is used. In this case the guarantee holds because
    /// a `FileName` contains no `/`, and O_NOFOLLOW refuses a symbolic link.
    package func open(entry name: FileName, _ options: OpenOptions) throws(Errno) -> FileDescriptor {
        // openat2(2) refuses O_NOCTTY together with O_PATH.
        let forFiles = options.contains(.pathOnly) ? 0 : O_NOCTTY
        let flags = options.rawValue | O_CLOEXEC | O_NOFOLLOW | forFiles
        let resolve = clinux_resolve_beneath | clinux_resolve_no_symlinks
        do throws(Errno) {
            return FileDescriptor(
                owning: try retrying {
                    clinux_openat2(rawValue, name.characters, UInt64(UInt32(bitPattern: flags)), 0, resolve)
                })
        } catch {
            guard error == .noSystemCall || error == .notPermitted else { throw error }
            return FileDescriptor(owning: try retrying { clinux_openat(rawValue, name.characters, flags, 0) })
        }
    }

    /// Creates a file, open for reading and writing.
    ///
    /// - Throws: EEXIST if the directory has an entry with this name.
    package func createFile(_ name: FileName, permissions: mode_t) throws(Errno) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return FileDescriptor(owning: try retrying { clinux_openat(rawValue, name.characters, flags, permissions) })
    }

    package func makeDirectory(_ name: FileName, permissions: mode_t) throws(Errno) {
        try retrying { mkdirat(rawValue, name.characters, permissions) }
    }

    /// Opens a subdirectory. Creates it if it does not exist. Does not follow a symbolic link with this name.
    package func openOrMakeDirectory(_ name: FileName, permissions: mode_t) throws(Errno) -> FileDescriptor {
        do throws(Errno) {
            try makeDirectory(name, permissions: permissions)
        } catch .fileExists {}
        return try open(entry: name, [.readOnly, .directory])
    }

    package func status(of name: FileName, followingLinks: Bool = false) throws(Errno) -> FileStatus {
        var raw = stat()
        try retrying { fstatat(rawValue, name.characters, &raw, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
        return FileStatus(raw)
    }

    package func removeFile(_ name: FileName) throws(Errno) {
        try retrying { unlinkat(rawValue, name.characters, 0) }
    }

    package func removeEmptyDirectory(_ name: FileName) throws(Errno) {
        try retrying { unlinkat(rawValue, name.characters, AT_REMOVEDIR) }
    }

    /// Returns the target of a symbolic link, byte for byte.
    package func target(ofLink name: FileName) throws(Errno) -> [UInt8] {
        var capacity = 256
        while true {
            var text = [CChar](repeating: 0, count: capacity)
            let length = try retrying { readlinkat(rawValue, name.characters, &text, capacity) }
            // A target that fills the buffer may be truncated.
            if length < capacity { return text[..<length].map { UInt8(bitPattern: $0) } }
            capacity *= 4
        }
    }

    package func makeLink(_ name: FileName, target: [UInt8]) throws(Errno) {
        let text = target.map { CChar(bitPattern: $0) } + [0]
        try retrying { symlinkat(text, rawValue, name.characters) }
    }

    /// Moves an entry atomically to another directory on the same file system. If an entry there already has the new
    /// name, the two entries are exchanged: the other entry gets the old name in this directory. If the file system
    /// does not support an exchange, the other entry is removed.
    package func move(_ old: FileName, into directory: FileDescriptor, as new: FileName) throws(Errno) {
        let (from, to) = (rawValue, directory.rawValue)
        do throws(Errno) {
            try retrying { clinux_renameat2(from, old.characters, to, new.characters, clinux_rename_exchange) }
        } catch .noSuchFile, .invalidArgument, .noSystemCall, .notSupported {
            // The new name is free, or the file system does not support an exchange. Without an exchange, a directory
            // can replace only an empty directory.
            try retrying { renameat(from, old.characters, to, new.characters) }
        }
    }

    /// Renames an entry within this directory.
    ///
    /// - Throws: EEXIST if the directory has an entry with the new name.
    package func rename(_ old: FileName, to new: FileName) throws(Errno) {
        do throws(Errno) {
            try retrying {
                clinux_renameat2(rawValue, old.characters, rawValue, new.characters, clinux_rename_noreplace)
            }
        } catch {
            // Some network and FUSE file systems do not support RENAME_NOREPLACE.
            guard error == .invalidArgument || error == .noSystemCall || error == .notSupported else { throw error }
            try renameWithoutFlag(old, to: new)
        }
    }

    /// Renames an entry on a file system that does not support RENAME_NOREPLACE. Fails if the new name is in use.
    ///
    /// For a directory, first creates an empty directory with the new name, which the renamed directory replaces. For
    /// a file, first creates a second link with the new name, and then removes the old name.
    private func renameWithoutFlag(_ old: FileName, to new: FileName) throws(Errno) {
        if try status(of: old).kind == .directory {
            try makeDirectory(new, permissions: 0o700)
            do throws(Errno) {
                try retrying { renameat(rawValue, old.characters, rawValue, new.characters) }
            } catch {
                try? removeEmptyDirectory(new)
                throw error
            }
        } else {
            try retrying { linkat(rawValue, old.characters, rawValue, new.characters, 0) }
            try removeFile(old)
        }
    }
}
