import Glibc

/// The error number of a failed system call.
///
/// The description is the system's message, such as "No space left on device".
public struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno`.
    public let rawValue: CInt

    /// Creates an error from its number in `errno.h`.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The error of the system call that has just failed on this thread.
    package static var current: Errno { Errno(rawValue: errno) }

    /// The system's message for the error.
    public var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        return buffer.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress, strerror_r(rawValue, base, bytes.count) == 0 else {
                return "error \(rawValue)"
            }
            return String(cString: base)
        }
    }
}

extension Errno {
    package static let permissionDenied = Errno(rawValue: EACCES)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let noSuchFile = Errno(rawValue: ENOENT)
    package static let fileExists = Errno(rawValue: EEXIST)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let notEmpty = Errno(rawValue: ENOTEMPTY)
    package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
    package static let fileTooLarge = Errno(rawValue: EFBIG)
    package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    package static let wouldBlock = Errno(rawValue: EAGAIN)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let invalidArgument = Errno(rawValue: EINVAL)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    package static let noSystemCall = Errno(rawValue: ENOSYS)
    package static let crossDevice = Errno(rawValue: EXDEV)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    package static let connectionReset = Errno(rawValue: ECONNRESET)
    package static let messageTooLong = Errno(rawValue: EMSGSIZE)
    package static let processDescriptorLimit = Errno(rawValue: EMFILE)
    package static let systemDescriptorLimit = Errno(rawValue: ENFILE)
    package static let noData = Errno(rawValue: ENODATA)
    package static let inputOutput = Errno(rawValue: EIO)
    package static let noSuchProcess = Errno(rawValue: ESRCH)
    package static let canceled = Errno(rawValue: ECANCELED)
}

/// Runs a function that makes a system call and returns the call's result. A negative result is thrown as an error. If
/// a signal interrupts the call, runs the function again.
@discardableResult
@inline(__always)
package func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let error = Errno.current
        if error != .interrupted { throw error }
    }
}

extension Errno {
    package static let addressInUse = Errno(rawValue: EADDRINUSE)
    package static let notASocket = Errno(rawValue: ENOTSOCK)
    package static let notConnected = Errno(rawValue: ENOTCONN)
    package static let wrongSocketType = Errno(rawValue: EPROTOTYPE)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let noBufferSpace = Errno(rawValue: ENOBUFS)
    package static let outOfMemory = Errno(rawValue: ENOMEM)
    /// The error that the user's processes have more descriptors in flight (sent and not yet received) than the limit
    /// of open files allows.
    package static let tooManyDescriptorsInFlight = Errno(rawValue: ETOOMANYREFS)
}
