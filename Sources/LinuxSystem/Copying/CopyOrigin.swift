import CLinux
import Glibc

/// The origin of a copied file, which determines the mode and attributes of the copy.
package enum CopyOrigin: Sendable {
    /// A file that belongs to the user, and is copied for the user. The copy gets the mode, the access control list and
    /// the `user.…` attributes.
    case user
    /// A file that another process has supplied, such as an extension, a provider, or a program that offers an item.
    ///
    /// The copy gets only permissions that a new file can have: no set-user-ID, set-group-ID or sticky bit, no access
    /// control list, and no permission that this process's umask excludes. The `user.…` attributes are copied.
    case peer
}

extension CopyOrigin {
    /// Returns the permissions of a copy.
    ///
    /// - Parameters:
    ///   - status: the original's status.
    ///   - mask: this process's umask.
    func permissions(of status: FileStatus, _ original: FileDescriptor, mask: mode_t) -> mode_t {
        switch self {
        case .user: status.permissions
        // A new memory file is executable by all users. No program has chosen this mode, so it is not copied.
        case .peer where original.isMemoryFile(status): 0o666 & ~mask
        case .peer: status.permissions & 0o777 & ~mask
        }
    }
}

extension FileDescriptor {
    /// Whether this descriptor refers to a memory file (memfd_create(2)).
    fileprivate func isMemoryFile(_ status: FileStatus) -> Bool {
        status.kind == .regular && status.linkCount == 0 && clinux_get_seals(rawValue) >= 0
    }
}

/// This process's umask(2).
package enum CreationMask {
    /// The mask, read from `/proc/self/status`. The value is 0077 if there is no `/proc`, as in a confined process.
    /// umask(2) is not used, because it returns the mask only when it sets a new mask. The new mask would apply to
    /// files that other threads create at the same time.
    package static var current: mode_t {
        guard let file = try? FileDescriptor.open("/proc/self/status", .readOnly),
            let bytes = try? file.readToEnd(limit: 64 << 10)
        else { return unknown }
        let key = "Umask:"
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(key) {
            let digits = line.dropFirst(key.utf8.count).drop { $0 == "\t" || $0 == " " }
            return mode_t(digits, radix: 8) ?? unknown
        }
        return unknown
    }

    private static let unknown: mode_t = 0o077
}
