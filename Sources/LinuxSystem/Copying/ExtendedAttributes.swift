import CLinux
import Glibc

/// Copies extended attributes of users (`user.…`) and access control lists.
///
/// Attributes that belong to the machine or grant privileges (`security.…`, `trusted.…`) are not copied, and neither is
/// the mark of an incomplete file (``TemporaryName``).
enum ExtendedAttributes {
    private static let accessList = "system.posix_acl_access"
    private static let defaultList = "system.posix_acl_default"

    /// The names of those attributes of a file that are copied.
    struct Names {
        var user: [String] = []
        var lists: [String] = []
    }

    static func names(of file: FileDescriptor) throws(Errno) -> Names {
        var result = Names()
        guard let packed = try read({ clinux_flistxattr(file.rawValue, $0, $1) }) else { return result }
        for bytes in packed.split(separator: 0) {
            let name = String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if name.hasPrefix("user."), name != TemporaryName.mark {
                result.user.append(name)
            } else if name == accessList || name == defaultList {
                result.lists.append(name)
            }
        }
        return result
    }

    /// Copies the attributes with the given names. Leaves out attributes that the target's file system does not
    /// support, or that are too large for this file system.
    ///
    /// - Returns: whether all attributes were copied.
    static func copy(
        _ names: [String], from source: FileDescriptor, to target: FileDescriptor
    ) throws(Errno) -> Bool {
        var isComplete = true
        for name in names {
            guard let value = try read({ clinux_fgetxattr(source.rawValue, name, $0, $1) }) else { continue }
            do throws(Errno) {
                try retrying { clinux_fsetxattr(target.rawValue, name, value, value.count, 0) }
            } catch {
                guard isAboutTheAttribute(error, target) else { throw error }
                isComplete = false
            }
        }
        return isComplete
    }

    /// Reads the value of an attribute with two calls of `call`: the first returns the size, and the second the value.
    /// If the value grows between them, tries again. Returns `nil` if the attribute does not exist, is not supported,
    /// or may not be read.
    private static func read(
        _ call: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(Errno) -> [CChar]? {
        while true {
            do throws(Errno) {
                let size = try retrying { call(nil, 0) }
                if size == 0 { return [] }
                var bytes = [CChar](repeating: 0, count: size)
                let filled = try bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
                    try retrying { call(buffer.baseAddress, buffer.count) }
                }
                return Array(bytes[..<filled])
            } catch {
                switch error.rawValue {
                case ERANGE: continue
                case ENODATA, EOPNOTSUPP, ENOSYS, EACCES, EPERM: return nil
                default: throw error
                }
            }
        }
    }

    /// Whether an error concerns only one attribute, and is not caused by a full disk.
    private static func isAboutTheAttribute(_ error: Errno, _ target: FileDescriptor) -> Bool {
        switch error.rawValue {
        case EOPNOTSUPP, ENOSYS, EPERM, EACCES, E2BIG, ERANGE, EINVAL: true
        // ext4 limits all attributes of a file to one block, and reports ENOSPC if they do not fit.
        case ENOSPC, EDQUOT: clinux_filesystem_free(target.rawValue) > 1 << 20
        default: false
        }
    }
}
