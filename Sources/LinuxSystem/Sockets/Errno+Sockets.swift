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
    /// The user has more descriptors inside sockets, sent and not yet received, than it may have open.
    package static let tooManyDescriptorsInFlight = Errno(rawValue: ETOOMANYREFS)
}
