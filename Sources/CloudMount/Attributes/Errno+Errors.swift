import FileProviderEngine
import FileProviderWire
import Glibc
import ItemStore
import LinuxSystem

/// Converts failures of the provider and of the engine to error numbers.
extension Errno {
    /// The error that makes the kernel look up the names of a path again.
    static let staleHandle = Errno(rawValue: ESTALE)

    init(_ failure: ProviderError) {
        self.init(rawValue: Self.number(of: failure.kind))
    }

    private static func number(of kind: ProviderError.Kind) -> CInt {
        switch kind {
        case .noSuchItem: ENOENT
        case .notAuthenticated: EACCES
        case .serverUnreachable: EHOSTUNREACH
        case .insufficientQuota: EDQUOT
        case .noSpace: ENOSPC
        case .cancelled: EINTR
        case .notPermitted, .deletionRejected: EPERM
        case .filenameCollision: EEXIST
        case .directoryNotEmpty: ENOTEMPTY
        case .unsupported: EOPNOTSUPP
        // The version of the contents that a handle has begun to read is not available any more.
        case .expired: ESTALE
        case .transient, .cannotSynchronize, .processEnded, .badAnswer, .disabled: EIO
        }
    }
}

extension Errno {
    /// Creates the error number for a failure to read or write the index.
    init(_ failure: IndexError) {
        switch failure {
        case .full: self = .noSpace
        case .corrupt, .system: self = .inputOutput
        }
    }
}
