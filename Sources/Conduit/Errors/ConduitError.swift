import LinuxSystem

/// The reason why a call, a notice or a connection failed.
package enum ConduitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The other side replied with an error.
    case remote(RemoteError)
    /// The connection has ended. It is unknown whether the call was carried out.
    case disconnected(CloseReason)
    /// This side cancelled the call.
    case cancelled
    /// The received reply is not a valid message of the call's reply type.
    case malformed(MessageError)
    /// The message's size exceeds the limit. Both are in bytes.
    case oversized(size: Int, limit: Int)
    /// The message has more descriptors than the limit allows.
    case tooManyDescriptors(count: Int, limit: Int)
    /// Descriptors that the message declares did not arrive, usually because this process has reached its limit of open
    /// descriptors.
    case descriptorsLost(declared: Int, arrived: Int)
    /// This connection has reached the maximum number of calls that wait for a reply.
    case tooManyCalls(limit: Int)
    /// The other side must not be used, for example because it belongs to another user.
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
    /// Whether the error shows that the two sides have different versions of a call: the other side does not serve the
    /// call, or a message lacks a required value. This happens after an update, while a process of the earlier version
    /// is still running.
    package var tellsOfAnotherVersion: Bool {
        switch self {
        case .remote(let failure): failure.conduitCode == .unknownMethod || failure.conduitCode == .malformedRequest
        case .malformed: true
        default: false
        }
    }

    /// The message that is shown to the user if the running daemon has another version.
    package static let daemonOfAnotherVersion =
        "the daemon that runs is of another version than this program: end it, and try again"
}

/// The reason why a connection ended.
package enum CloseReason: Hashable, Sendable, CustomStringConvertible {
    /// This side called `close()`.
    case closedHere
    /// The other side closed the connection, or its process ended.
    case closedByPeer
    /// The other side violated the protocol.
    case protocolViolation(String)
    /// The other side does not read: the bytes that are queued for it exceed the limit.
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
