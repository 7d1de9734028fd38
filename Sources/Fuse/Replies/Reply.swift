import CFuse
import Glibc
public import LinuxSystem
import Synchronization

/// What a request is answered with.
///
/// The types that conform are those of ``FileSystem``'s functions; there is nothing for others to conform to.
public protocol Answer {
    /// Sends the answer.
    func send(through sender: borrowing AnswerSender)
}

/// The way back to the caller of one request.
///
/// It is answered once, from any thread, whenever that is possible; later answers are ignored. Where the last reference goes
/// without one, the caller gets `EIO`.
public final class Reply<Content: Answer>: Sendable {
    /// Who asks.
    public let caller: Caller
    /// What the kernel calls the request: no two requests of a session have the same, but a request that comes again has the same
    /// again (``isRepeated``).
    public var identifier: UInt64 { sender.unique & ~cfuse_unique_resend }
    /// Whether the kernel sends the request again, because the process that this one has succeeded
    /// (``Session/resume(_:options:_:)``) has read it and died before its answer. What it asks for may have been done, wholly or
    /// not.
    public var isRepeated: Bool { sender.unique & cfuse_unique_resend != 0 }
    let sender: AnswerSender
    private let place: Int
    private let isAnswered = Atomic(false)

    /// - Parameter other: a second node that the request is about.
    package init(
        _ request: Request, room: Int = .max, isMeasured: Bool = false, other: NodeID = NodeID(rawValue: 0),
        on channel: Channel
    ) {
        caller = request.caller
        sender = AnswerSender(
            channel: channel, unique: request.header.unique, room: min(room, channel.buffers.size),
            isMeasured: isMeasured)
        place = channel.requests.add(request.header.unique, request.node, other)
    }

    deinit {
        fail(.inputOutput)
    }

    /// Tells the caller that it cannot be.
    public func fail(_ error: Errno) {
        answer { $0.fail(error) }
    }

    /// Answers.
    public func reply(_ answer: Content) {
        self.answer { answer.send(through: $0) }
    }

    /// Answers either way.
    public func reply(with result: Result<Content, Errno>) {
        switch result {
        case .success(let answer): reply(answer)
        case .failure(let error): fail(error)
        }
    }

    /// Whether a signal has come to the caller, who waits for the answer nevertheless: a request that is still waiting is
    /// answered with `EINTR` then.
    public var isInterrupted: Bool {
        sender.channel.requests.isInterrupted(at: place, sender.unique)
    }

    /// Says what to do when a signal comes to the caller: usually to stop waiting and to fail with `EINTR`. Called once at
    /// most, on any thread, at once where the signal has come already. Replaces what was said before. The function is let go
    /// of with the answer.
    public func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        sender.channel.requests.setHandler(at: place, sender.unique, handler)
    }

    func answer(_ body: (borrowing AnswerSender) -> Void) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // First, because the kernel may use the number again once it has the answer.
        sender.channel.requests.remove(at: place)
        body(sender)
    }
}

/// Sends the answer to one request. Only this module makes and uses them.
public struct AnswerSender: Sendable {
    let channel: Channel
    let unique: UInt64
    /// The most bytes that the caller has room for.
    let room: Int
    /// Whether the answer is an extended attribute's, where a caller with no room asks for the size.
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
            // The kernel did not take it: where the request is still there, something has to.
            fail(.inputOutput)
        }
    }
}
