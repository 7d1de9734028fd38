import FileProvider
import FileProviderEngine
import Glibc
import LinuxSystem

/// What a program is told when a provider, or the engine, did not do what it needed.
extension Errno {
    /// The error after which the kernel looks up the names of a path again.
    static let staleHandle = Errno(rawValue: ESTALE)

    init(_ failure: ProviderFailure) {
        self.init(rawValue: Self.number(of: failure.kind))
    }

    private static func number(of kind: ProviderFailure.Kind) -> CInt {
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
        // Of contents: those that somebody has begun to read.
        case .expired: ESTALE
        case .transient, .cannotSynchronize, .processEnded, .badAnswer, .disabled: EIO
        }
    }
}

extension Errno {
    /// The index could not be read or written.
    init(_ failure: IndexFailure) {
        switch failure {
        case .full: self = .noSpace
        case .corrupt, .system: self = .inputOutput
        }
    }
}
