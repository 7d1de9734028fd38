import Glibc

extension Errno {
    package static let addressInUse = Errno(rawValue: EADDRINUSE)
    package static let notASocket = Errno(rawValue: ENOTSOCK)
    package static let notConnected = Errno(rawValue: ENOTCONN)
    package static let wrongSocketType = Errno(rawValue: EPROTOTYPE)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let noBufferSpace = Errno(rawValue: ENOBUFS)
    package static let outOfMemory = Errno(rawValue: ENOMEM)
    /// The error if more descriptors of the user are in flight (sent and not yet received) than its limit of open
    /// files allows.
    package static let tooManyDescriptorsInFlight = Errno(rawValue: ETOOMANYREFS)
}
