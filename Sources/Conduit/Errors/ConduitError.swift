import LinuxSystem

/// Why a call, a notice or a connection failed.
package enum ConduitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The other side answered with an error.
    case remote(RemoteFailure)
    /// The connection has ended. Whether the call was carried out is not known.
    case disconnected(CloseReason)
    /// This side cancelled the call.
    case cancelled
    /// What arrived as the answer is not the message that the call is answered with.
    case malformed(MessageError)
    /// A message has more bytes than a message may have.
    case oversized(size: Int, limit: Int)
    /// A message has more descriptors attached than one may carry.
    case tooManyDescriptors(count: Int, limit: Int)
    /// Descriptors got lost on the way, as a rule because this process has as many open as it may have.
    case descriptorsLost(declared: Int, arrived: Int)
    /// So many calls on this connection wait for their answers that no more are made.
    case tooManyCalls(limit: Int)
    /// The other side is not one to talk to.
    case refused(String)
    /// A system call failed.
    case system(Errno)

    package var description: String {
        switch self {
        case .remote(let failure): "\(failure)"
        case .disconnected(let reason): "the connection ended: \(reason)"
        case .cancelled: "the call was cancelled"
        case .malformed(let error): "the answer could not be understood: \(error)"
        case .oversized(let size, let limit): "a message of \(size) bytes is larger than the \(limit) allowed"
        case .tooManyDescriptors(let count, let limit): "\(count) descriptors in a message; \(limit) are allowed"
        case .descriptorsLost(let declared, let arrived):
            "\(arrived) of \(declared) descriptors arrived; this process probably has too many open"
        case .tooManyCalls(let limit): "\(limit) calls are waiting for their answers already"
        case .refused(let words): words
        case .system(.tooManyDescriptorsInFlight):
            "too many descriptors of this user are on their way to processes that do not read"
        case .system(let error): "\(error)"
        }
    }
}

extension ConduitError {
    /// Whether the two sides do not mean the same by their messages: one does not know the other's call, or misses something in what
    /// it sent. So it is after an update, for as long as a process of the version before runs.
    package var tellsOfAnotherVersion: Bool {
        switch self {
        case .remote(let failure): failure.conduitCode == .unknownMethod || failure.conduitCode == .malformedRequest
        case .malformed: true
        default: false
        }
    }

    /// What a person is told of such a daemon.
    package static let daemonOfAnotherVersion =
        "the daemon that runs is of another version than this program: end it, and try again"
}

/// Why a connection ended.
package enum CloseReason: Hashable, Sendable, CustomStringConvertible {
    /// `close()` was called on this side.
    case closedHere
    /// The other side closed, or its process ended.
    case closedByPeer
    /// The other side sent something that is not part of the protocol.
    case protocolViolation(String)
    /// The other side does not read: more than the limit's bytes would have had to be kept for it.
    case peerTooSlow(queuedBytes: Int)
    /// A system call on the socket failed.
    case system(Errno)

    package var description: String {
        switch self {
        case .closedHere: "it was closed on this side"
        case .closedByPeer: "the other side closed it or ended"
        case .protocolViolation(let words): "the other side sent \(words)"
        case .peerTooSlow(let bytes): "the other side does not read; \(bytes) bytes were waiting for it"
        case .system(let error): "\(error)"
        }
    }
}
