import CLinux
import Glibc

/// The owner's side of a copied file, which decides what of its mode and attributes the copy gets.
package enum CopyOrigin: Sendable {
    /// The user's own file, copied for the user. The copy has the mode, the access control list and the user's
    /// attributes.
    case user
    /// A file that another process chose: an extension, a provider, or a program that offers an item.
    ///
    /// The copy gets no more than a program would give to a new file: neither set-user-ID, set-group-ID nor sticky
    /// bit, no access control list, and no permission that the process's mask takes away. Attributes of the user
    /// (`user.…`) are copied.
    case peer
}

extension CopyOrigin {
    /// The permissions of a copy.
    ///
    /// - Parameters:
    ///   - status: the original's.
    ///   - mask: this process's mask for new files.
    func permissions(of status: FileStatus, _ original: FileDescriptor, mask: mode_t) -> mode_t {
        switch self {
        case .user: status.permissions
        // No program chooses the mode of a memory file: all users may run a new one.
        case .peer where original.isMemoryFile(status): 0o666 & ~mask
        case .peer: status.permissions & 0o777 & ~mask
        }
    }
}

extension FileDescriptor {
    /// Whether this is a file in memory that never had a name: memfd_create(2).
    fileprivate func isMemoryFile(_ status: FileStatus) -> Bool {
        status.kind == .regular && status.linkCount == 0 && clinux_get_seals(rawValue) >= 0
    }
}

/// The permissions that this process's new files do not get: umask(2).
package enum CreationMask {
    /// The mask, as `/proc/self/status` has it: umask(2) tells it only by setting another, which files of other threads
    /// would get. Without `/proc`, as in a confined process, 0077.
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
