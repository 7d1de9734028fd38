import CFuse
import Glibc
public import LinuxSystem
import Synchronization

/// The contents of a successful reply.
///
/// The results of ``FileSystem``'s functions conform to this protocol. Other types should not conform.
public protocol ReplyContent {
    /// Sends the reply.
    func send(through sender: borrowing ReplySender)
}

/// The completion handler of one request.
///
/// It is called once, on any thread. Later calls are ignored. If the last reference is released without a reply, the
/// caller gets `EIO`.
public final class Reply<Content: ReplyContent>: Sendable {
    /// The process that made the request.
    public let caller: Caller
    /// The kernel's identifier of the request, unique within the session. A request that the kernel sends again has the
    /// same identifier (``isRepeated``).
    public var identifier: UInt64 { sender.unique & ~cfuse_unique_resend }
    /// Whether the kernel repeats the request, because the previous process of the session
    /// (``Session/resume(_:options:_:)``) read the request and died before its reply. The previous process may have
    /// carried out the request, wholly or in part.
    public var isRepeated: Bool { sender.unique & cfuse_unique_resend != 0 }
    let sender: ReplySender
    private let place: Int
    private let isCompleted = Atomic(false)

    /// Registers a request that is about to be served.
    ///
    /// - Parameter other: a second node that the request is about.
    package init(
        _ request: Request, room: Int = .max, isMeasured: Bool = false, other: NodeID = NodeID(rawValue: 0),
        on channel: DeviceChannel
    ) {
        caller = request.caller
        sender = ReplySender(
            channel: channel, unique: request.header.unique, room: min(room, channel.buffers.size),
            isMeasured: isMeasured)
        place = channel.requests.add(request.header.unique, request.node, other)
    }

    deinit {
        fail(.inputOutput)
    }

    /// Fails the request with an error.
    public func fail(_ error: Errno) {
        complete { $0.fail(error) }
    }

    /// Completes the request with a result.
    public func reply(_ content: Content) {
        complete { content.send(through: $0) }
    }

    /// Completes the request with a result or an error.
    public func reply(with result: Result<Content, Errno>) {
        switch result {
        case .success(let content): reply(content)
        case .failure(let error): fail(error)
        }
    }

    /// Whether a signal was sent to the caller, which still waits for the reply. In this case, a file system that is
    /// waiting should fail the request with `EINTR`.
    public var isInterrupted: Bool {
        sender.channel.requests.isInterrupted(at: place, sender.unique)
    }

    /// Sets the function to call when a signal is sent to the caller, or immediately if a signal was already sent. The
    /// function usually ends a wait and fails the request with `EINTR`. It is called at most once, on any thread. It
    /// replaces a function that was set earlier. It is released at the latest when the request is completed.
    public func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        sender.channel.requests.setHandler(at: place, sender.unique, handler)
    }

    func complete(_ body: (borrowing ReplySender) -> Void) {
        guard !isCompleted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The request is removed before the reply is sent, because the kernel may reuse its identifier once it has the
        // reply.
        sender.channel.requests.remove(at: place)
        body(sender)
    }
}

/// The writer of the reply to one request. Only this module creates and uses it.
public struct ReplySender: Sendable {
    let channel: DeviceChannel
    let unique: UInt64
    /// The size in bytes of the caller's buffer.
    let room: Int
    /// Whether the bytes in the reply are extended attributes. If so, a caller with an empty buffer gets their size.
    /// For a listing, whether the caller wants attributes.
    let isMeasured: Bool

    func fail(_ error: Errno) {
        channel.send(
            unique, error: error.rawValue == 0 ? .inputOutput : error, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func send<Structure: BitwiseCopyable>(_ structure: Structure) {
        withUnsafeBytes(of: structure) { send($0) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        if !channel.send(unique, error: nil, bytes) {
            // The kernel rejected the reply. If the kernel still has the request, its caller still waits for a reply.
            fail(.inputOutput)
        }
    }
}
