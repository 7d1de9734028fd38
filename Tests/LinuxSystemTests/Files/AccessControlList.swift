import CLinux
import LinuxSystem

/// A POSIX access control list of a file.
enum AccessControlList {
    static let attribute = "system.posix_acl_access"

    /// Version 2, then the kind, permissions and ID of each entry: owner, user 1234, group, mask, others.
    static let sample: [UInt8] = {
        let none: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        return [2, 0, 0, 0] + [1, 0, 6, 0] + none + [2, 0, 6, 0, 0xD2, 4, 0, 0] + [4, 0, 0, 0] + none
            + [16, 0, 6, 0] + none + [32, 0, 0, 0] + none
    }()

    /// Sets the sample on a file. Returns `false` if its file system does not support such lists.
    static func set(on file: FileDescriptor) throws(Errno) -> Bool {
        do {
            try retrying { clinux_fsetxattr(file.rawValue, attribute, sample, sample.count, 0) }
            return true
        } catch .notSupported {
            return false
        }
    }
}
