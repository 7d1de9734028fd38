import Fuse
import Glibc
import LinuxSystem

/// The directory that a domain is mounted on.
enum MountFolder {
    /// Creates the directory, or checks that a mount on it would not hide files.
    ///
    /// - Returns: Whether the directory was created.
    static func prepare(_ path: String) throws(DomainMountError) -> Bool {
        let isEmpty: Bool
        do throws(Errno) {
            if try make(path) { return true }
            guard try !isMounted(path) else { throw Errno(rawValue: EBUSY) }
            isEmpty = try FileDescriptor.open(path, [.readOnly, .directory]).entries().isEmpty
        } catch {
            if error.rawValue == EBUSY { throw .folderIsMounted(path: path) }
            throw .folder(path: path, error)
        }
        guard isEmpty else { throw .folderIsNotEmpty(path: path) }
        return false
    }

    /// Unmounts a mount that a dead daemon left, and removes the directory. The directory was created by that daemon,
    /// or was empty.
    ///
    /// - Returns: Whether such a mount existed.
    @discardableResult
    static func removeStale(_ path: String) -> Bool {
        guard Session.unmountStale(at: path) else { return false }
        rmdir(path)
        return true
    }

    /// Creates a directory and its missing parents.
    ///
    /// - Returns: Whether the directory did not exist before.
    private static func make(_ path: String) throws(Errno) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        switch Errno.current {
        case .fileExists: return false
        case .noSuchFile:
            guard let end = path.lastSlash, end != path.startIndex else { throw .noSuchFile }
            _ = try make(String(path[..<end]))
            try retrying { mkdir(path, 0o700) }
            return true
        case let error: throw error
        }
    }

    private static func isMounted(_ path: String) throws(Errno) -> Bool {
        guard let resolved = realpath(path, nil) else { throw .current }
        defer { free(resolved) }
        let real = String(cString: resolved)
        return try MountTable.current().mounts.contains { $0.point == real }
    }
}
