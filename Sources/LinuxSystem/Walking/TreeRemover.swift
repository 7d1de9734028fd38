import Glibc

/// Removes trees of any depth. All system calls are relative to open directories, so that a symbolic link is never
/// followed out of the tree.
///
/// Directories whose mode forbids changes (such as 0555) are made writable first, so that a copy of a read-only tree
/// can be removed like any other tree.
package enum TreeRemover {
    private struct Frame {
        let name: FileName
        let entries: [DirectoryEntry]
        var next = 0
    }

    /// Removes an entry of a directory. If the entry is a directory, removes it with all its contents. Does nothing if
    /// the entry does not exist.
    package static func remove(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        if try removeUnlessDirectory(name, in: directory) { return }
        var stack = DirectoryStack(root: directory, identity: try directory.status().identity)
        var frames = [try enter(name, &stack)]
        while let last = frames.indices.last {
            if frames[last].next < frames[last].entries.count {
                let entry = frames[last].entries[frames[last].next]
                frames[last].next += 1
                if entry.kind != .directory, try removeUnlessDirectory(entry.name, in: stack.current) { continue }
                frames.append(try enter(entry.name, &stack))
            } else {
                _ = try stack.pop()
                try stack.current.removeEmptyDirectory(frames.removeLast().name)
            }
        }
    }

    private static func enter(_ name: FileName, _ stack: inout DirectoryStack) throws(Errno) -> Frame {
        let directory = try openChangeable(name, in: stack.current)
        guard stack.push(directory, identity: try directory.status().identity) else {
            throw .tooManySymbolicLinks
        }
        return Frame(name: name, entries: try directory.entries())
    }

    private static func openChangeable(_ name: FileName, in parent: FileDescriptor) throws(Errno) -> FileDescriptor {
        let handle = try parent.open(entry: name, [.pathOnly, .directory])
        let status = try handle.status()
        if status.permissions & 0o700 != 0o700, status.owner == geteuid() {
            // fchmod(2) refuses a descriptor that was opened with O_PATH. The directory may be unreadable, so that it
            // cannot be opened without O_PATH.
            try retrying { chmod("/proc/self/fd/\(handle.rawValue)", status.permissions | 0o700) }
        }
        return try handle.open(".", [.readOnly, .directory])
    }

    /// Removes an entry unless it is a directory. Returns `false` if it is a directory.
    private static func removeUnlessDirectory(
        _ name: FileName, in directory: FileDescriptor
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            try directory.removeFile(name)
        } catch .noSuchFile {
            return true
        } catch .isDirectory {
            return false
        } catch .notPermitted {
            // POSIX's error for a directory, and the error for an immutable file.
            guard try directory.status(of: name).kind == .directory else { throw .notPermitted }
            return false
        }
        return true
    }
}
