import CLinux
import Glibc

/// Gives a copy what the original has beside its content: attributes, mode, access control list and times.
enum CopiedMetadata {
    /// - Parameters:
    ///   - target: the copy, open and written whole; writing to it later would change its times again.
    ///   - origin: whose file the original is.
    ///   - mask: this process's mask for new files.
    ///   - keepsMode: whether it gets the original's mode and list, or has a mode of its own.
    static func apply(
        from source: FileDescriptor, _ status: FileStatus, to target: FileDescriptor, origin: CopyOrigin, mask: mode_t,
        keepsMode: Bool = true
    ) throws(Errno) {
        let names = try ExtendedAttributes.names(of: source)
        // Attributes first: the mode may forbid to set them.
        _ = try ExtendedAttributes.copy(names.user, from: source, to: target)
        if keepsMode { try applyMode(from: source, status, names, to: target, origin, mask) }
        try retrying { futimens(target.rawValue, [status.accessed, status.modified]) }
    }

    private static func applyMode(
        from source: FileDescriptor, _ status: FileStatus, _ names: ExtendedAttributes.Names, to target: FileDescriptor,
        _ origin: CopyOrigin, _ mask: mode_t
    ) throws(Errno) {
        var permissions = try owned(origin.permissions(of: status, source, mask: mask), status, target)
        // A list that the copy does not get leaves the group less, and the mode must not give it more in between.
        if origin == .peer, !names.lists.isEmpty { permissions &= ~0o070 }
        try retrying { fchmod(target.rawValue, permissions) }
        guard origin == .user else { return }
        if try !ExtendedAttributes.copy(names.lists, from: source, to: target) {
            // With a list, the group's bits are the most that anyone on the list has. Without it they would be given
            // to the whole group.
            permissions &= ~0o070
            try retrying { fchmod(target.rawValue, permissions) }
        }
    }

    /// The mode for the copy. A program that runs as its owner does so only if the copy has that same owner.
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
