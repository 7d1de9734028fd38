import CLinux
import Glibc

/// Copies a file's metadata: extended attributes, mode, access control list and times.
enum CopiedMetadata {
    /// Applies the metadata of the original to its copy.
    ///
    /// - Parameters:
    ///   - target: the copy, which must be complete. A later write would change its times.
    ///   - origin: the origin of the file. It determines the mode and attributes of the copy.
    ///   - mask: this process's umask.
    ///   - keepsMode: whether the copy gets the original's mode and access control list. Otherwise, the mode of the
    ///     copy is not changed.
    static func apply(
        from source: FileDescriptor, _ status: FileStatus, to target: FileDescriptor, origin: CopyOrigin, mask: mode_t,
        keepsMode: Bool = true
    ) throws(Errno) {
        let names = try ExtendedAttributes.names(of: source)
        // The attributes come first, as the new mode may forbid setting them.
        _ = try ExtendedAttributes.copy(names.user, from: source, to: target)
        if keepsMode { try applyMode(from: source, status, names, to: target, origin, mask) }
        try retrying { futimens(target.rawValue, [status.accessed, status.modified]) }
    }

    private static func applyMode(
        from source: FileDescriptor, _ status: FileStatus, _ names: ExtendedAttributes.Names, to target: FileDescriptor,
        _ origin: CopyOrigin, _ mask: mode_t
    ) throws(Errno) {
        var permissions = try owned(origin.permissions(of: status, source, mask: mask), status, target)
        // With an access control list, the group bits are the list's mask. A copy without the list would grant them
        // to the whole group.
        if origin == .peer, !names.lists.isEmpty { permissions &= ~0o070 }
        try retrying { fchmod(target.rawValue, permissions) }
        guard origin == .user else { return }
        if try !ExtendedAttributes.copy(names.lists, from: source, to: target) {
            // The list could not be copied. Without it, its mask would be granted to the whole group.
            permissions &= ~0o070
            try retrying { fchmod(target.rawValue, permissions) }
        }
    }

    /// Returns the mode for the copy. Set-user-ID is kept only if the copy has the same owner as the original, and
    /// set-group-ID only if it has the same group.
    private static func owned(
        _ permissions: mode_t, _ status: FileStatus, _ target: FileDescriptor
    ) throws(Errno) -> mode_t {
        var permissions = permissions
        guard permissions & (S_ISUID | S_ISGID) != 0 else { return permissions }
        let copy = try target.status()
        if copy.raw.st_uid != status.raw.st_uid { permissions &= ~S_ISUID }
        if copy.raw.st_gid != status.raw.st_gid { permissions &= ~S_ISGID }
        return permissions
    }
}
