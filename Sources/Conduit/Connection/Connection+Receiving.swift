import LinuxSystem
import Synchronization

extension Connection: EventSource {
    func handle(_ events: EventPoll.Events, _ descriptor: FileDescriptor, buffer: UnsafeMutableRawBufferPointer) {
        if events.callForWriting, !isClosing.load(ordering: .acquiring) { flush() }
        guard events.callForReading else { return }
        if isPeerConfined, events.tellOfTheEnd { hasPeerGone.store(true, ordering: .relaxed) }
        let budget = receiveBudget.next()
        for count in 0..<budget {
            // Nothing is read from a clogged peer, unless it has hung up. In that case everything is read, because the
            // end of input closes the connection.
            if isClogged.load(ordering: .relaxed), !events.tellOfTheEnd { return }
            if isClosing.load(ordering: .acquiring) {
                return finish(outbound.withLock { $0.closeReason } ?? .closedHere)
            }
            if mayHaveUnclosed.load(ordering: .relaxed), waitsForClosing(events) { return }
            do {
                let socket = SequencedPacketSocket(descriptor)
                let packet = try socket.receive(into: buffer, closingOn: lane)
                if !packet.descriptors.isEmpty { mayHaveUnclosed.store(true, ordering: .relaxed) }
                if let violation = receive(packet, UnsafeRawBufferPointer(buffer), socket) {
                    return finish(violation)
                }
            } catch .wouldBlock {
                return receiveBudget.ranDry(after: count)
            } catch .connectionReset {
                // The error is reported once, if the peer closed the socket before it read everything. The data that
                // the peer sent can still be read.
                continue
            } catch {
                return finish(.system(error))
            }
        }
        receiveBudget.wasUsedUp(budget)
    }

    /// Suspends reading if too many of the peer's descriptors wait to be closed. Reading resumes when the number has
    /// fallen to half of the limit. If the peer has closed the connection, ends the connection instead, so that unread
    /// packets are dropped.
    ///
    /// - Returns: Whether too many descriptors wait to be closed.
    private func waitsForClosing(_ events: EventPoll.Events) -> Bool {
        let count = lane.count
        if count == 0 { mayHaveUnclosed.store(false, ordering: .relaxed) }
        guard count > limits.unclosedDescriptors else { return false }
        if events.tellOfTheEnd {
            finish(.closedByPeer)
        } else if !isClosingBehind.load(ordering: .relaxed) {
            setClosingBehind(true)
            lane.whenAtMost(limits.unclosedDescriptors / 2) { [weak self] in
                guard let self else { return }
                loop.perform { [self] in setClosingBehind(false) }
            }
        }
        return true
    }

    /// Whether the confined process at the other end has ended. In this case, its messages with large bodies are
    /// dropped.
    private func isOfDead(_ socket: SequencedPacketSocket) -> Bool {
        guard isPeerConfined else { return false }
        if !hasPeerGone.load(ordering: .relaxed), socket.isHungUp { hasPeerGone.store(true, ordering: .relaxed) }
        return hasPeerGone.load(ordering: .relaxed)
    }

    /// Handles a packet. Returns `nil`, or the reason why the connection must end.
    private func receive(
        _ packet: ReceivedPacket, _ buffer: UnsafeRawBufferPointer, _ socket: SequencedPacketSocket
    ) -> CloseReason? {
        guard packet.byteCount > 0 else { return .closedByPeer }
        var reader = CBORReader(UnsafeRawBufferPointer(rebasing: buffer[..<packet.byteCount]))
        do throws(CBORError) {
            let frame = try Frame(from: &reader)
            // A newer peer may send a kind that is unknown.
            guard let kind = frame.kind else { return nil }
            if packet.byteCount > Frame.packetLimit {
                reject(frame, kind, .oversized(size: packet.byteCount, limit: Frame.packetLimit))
            } else if packet.isTruncated || packet.descriptors.count != frame.descriptorCount {
                let arrived = packet.descriptors.count
                reject(frame, kind, .descriptorsLost(declared: frame.descriptorCount, arrived: arrived))
            } else if packet.descriptors.count > ConnectionLimits.descriptorsPerMessage + 1 {
                // One descriptor more than a message may have is allowed, for the memory file that holds the body.
                let limit = ConnectionLimits.descriptorsPerMessage
                reject(frame, kind, .tooManyDescriptors(count: packet.descriptors.count, limit: limit))
            } else {
                return try receive(frame, kind, &reader, packet.descriptors, socket)
            }
            return nil
        } catch {
            return .protocolViolation("a packet that is not part of the protocol: \(error)")
        }
    }

    private func receive(
        _ frame: Frame, _ kind: Frame.Kind, _ reader: inout CBORReader, _ descriptors: [FileDescriptor],
        _ socket: SequencedPacketSocket
    ) throws(CBORError) -> CloseReason? {
        switch kind {
        case .request:
            // The caller is gone and waits for no reply.
            if hasPeerGone.load(ordering: .relaxed) { return nil }
            return try receiveRequest(frame, &reader, descriptors, socket)
        case .reply:
            // Without a receiver, this is the reply to a cancelled call.
            guard let receiver = takeReceiver(of: frame.call) else { return nil }
            do throws(ConduitError) {
                try withBody(reader, descriptors) { receiver.succeed(&$0) }
            } catch {
                receiver.fail(error)
            }
        case .failure:
            let failure = RemoteError(
                domain: try reader.readText(), code: try reader.readInteger(), message: try reader.readText(),
                underlying: reader.skipNull() ? nil : try reader.readText())
            takeReceiver(of: frame.call)?.fail(.remote(failure))
        case .progress:
            let completed: Int64 = try reader.readInteger()
            let total: Int64 = try reader.readInteger()
            let receiver = calls.withLock { $0.pending[frame.call] }
            receiver?.progress?(completed, total)
        case .cancel:
            calls.withLock { $0.served[frame.call] }?.cancel()
        case .notice:
            return try receiveNotice(&reader, descriptors, socket)
        }
        return nil
    }

    private func receiveNotice(
        _ reader: inout CBORReader, _ descriptors: [FileDescriptor], _ socket: SequencedPacketSocket
    ) throws(CBORError) -> CloseReason? {
        let method = try reader.readUnsigned()
        guard let handler = service.notices[method] else { return nil }
        if isLarge(reader), isOfDead(socket) { return nil }
        var fault: MessageError?
        do throws(ConduitError) {
            try withBody(reader, descriptors) { decoder in
                do throws(MessageError) { try handler(&decoder, self) } catch { fault = error }
            }
        } catch {
            // The sender cannot be notified of the failure, and may wait for a result. Therefore the connection to a
            // confined sender ends. Purvey's own programs send no such notices.
            if isPeerConfined, case .oversized = error { return .protocolViolation("\(error)") }
            return nil
        }
        if let fault, let handler = service.noticeFaults[method] {
            try? withBody(reader, descriptors) { decoder in try? handler(&decoder, fault, self) }
        }
        return nil
    }

    /// Whether a message's body is in a memory file.
    private func isLarge(_ reader: CBORReader) -> Bool { (try? reader.peekHead())?.type == .unsigned }

    private func receiveRequest(
        _ frame: Frame, _ reader: inout CBORReader, _ descriptors: [FileDescriptor], _ socket: SequencedPacketSocket
    ) throws(CBORError) -> CloseReason? {
        let method = try reader.readUnsigned()
        guard let handler = service.calls[method] else {
            sendFailure(RemoteError(.unknownMethod, "there is no call \(method) here"), call: frame.call)
            return nil
        }
        var bytes = reader.remaining
        // The decoder reports a body that is missing.
        if let head = try? reader.peekHead(), head.type == .unsigned {
            if isOfDead(socket) { return nil }
            bytes = Int(clamping: min(head.argument, UInt64(limits.receivedMessageSize)))
        }
        let record = ServedCallRecord(
            connection: self, call: frame.call, bytes: bytes, descriptorCount: descriptors.count)
        switch calls.withLock({ $0.serve(record, limits) }) {
        case .served: break
        case .repeated: return .protocolViolation("a call under the number of one that is being served")
        case .oneTooMany:
            let words = "as many calls of this connection are being served as may be, or as large ones"
            sendFailure(RemoteError(.tooManyCalls, words), call: frame.call)
            return nil
        }
        do throws(ConduitError) {
            try withBody(reader, descriptors) { decoder in
                do throws(MessageError) {
                    try handler(&decoder, record)
                } catch {
                    record.fail(RemoteError(.malformedRequest, "the request could not be understood: \(error)"))
                }
            }
        } catch {
            record.fail(error.asAnswer)
        }
        return nil
    }

    /// Fails the call to which a packet belongs, because the contents of the packet are unusable.
    private func reject(_ frame: Frame, _ kind: Frame.Kind, _ error: ConduitError) {
        switch kind {
        case .request: sendFailure(error.asAnswer, call: frame.call)
        case .reply, .failure: takeReceiver(of: frame.call)?.fail(error)
        // No peer waits for a reply to these.
        case .progress, .cancel, .notice: break
        }
    }

    /// Calls a function with the decoder of a message's body, which is in the packet or in the attached memory file.
    private func withBody(
        _ reader: CBORReader, _ descriptors: [FileDescriptor], _ body: (inout MessageDecoder) -> Void
    ) throws(ConduitError) {
        let head: CBORHead
        do { head = try reader.peekHead() } catch { throw .malformed(.malformed(error)) }
        guard head.type == .unsigned else {
            var decoder = MessageDecoder(reader, descriptors: descriptors)
            return body(&decoder)
        }
        let size = head.argument
        guard size <= UInt64(limits.receivedMessageSize) else {
            throw .oversized(size: Int(clamping: size), limit: limits.receivedMessageSize)
        }
        guard let file = descriptors.last else { throw .malformed(.missingDescriptor(index: 0)) }
        let mapping: Mapping
        do throws(Errno) {
            // If the peer truncated an unsealed file, reading it would end this process with SIGBUS.
            guard MemoryFile.isSealed(file), try file.status().size == Int(size) else {
                throw .invalidArgument
            }
            mapping = try Mapping(file, size: Int(size))
        } catch .invalidArgument {
            throw .malformed(.invalid("its body is not in a sealed memory file of the stated size"))
        } catch {
            throw .system(error)
        }
        var decoder = MessageDecoder(mapping.bytes, descriptors: descriptors.dropLast())
        body(&decoder)
        withExtendedLifetime(mapping) {}
    }
}

extension ConduitError {
    /// The error that is sent to a caller if its request cannot be used.
    fileprivate var asAnswer: RemoteError {
        switch self {
        case .oversized: RemoteError(.oversized, "\(self)")
        case .descriptorsLost(let declared, let arrived):
            RemoteError(
                .descriptorsLost,
                "\(arrived) of \(declared) descriptors of the request arrived; the other side probably has too many open"
            )
        case .tooManyDescriptors: RemoteError(.tooManyDescriptors, "\(self)")
        case .malformed(let error):
            RemoteError(.malformedRequest, "the request could not be understood: \(error)")
        default: RemoteError(.malformedRequest, "the request could not be read: \(self)")
        }
    }
}

/// The number of packets to receive from one connection before other connections are served.
///
/// If two sides take turns, each wake-up of the loop brings one packet, or a few if a notice precedes a request. An
/// attempt to receive one more packet costs a useless system call. If many packets arrive, receiving several per
/// wake-up saves wake-ups. Therefore the budget is the number of packets that the last wake-up brought, and
/// occasionally a larger number is tried.
///
/// Only the loop's thread uses this value. The atomics only make it possible to store the value in a shared object.
struct ReceiveBudget: ~Copyable {
    private let wakeUps = Atomic<UInt>(0)
    private let expected = Atomic<Int>(1)

    private static let flood = 32

    /// Returns the maximum number of packets to receive after the current wake-up.
    borrowing func next() -> Int {
        let wakeUp = wakeUps.wrappingAdd(1, ordering: .relaxed).newValue
        let expected = expected.load(ordering: .relaxed)
        if expected > 1 { return wakeUp.isMultiple(of: 4) ? min(2 * expected, Self.flood) : expected }
        return wakeUp.isMultiple(of: 16) ? 2 : 1
    }

    /// Records that only `count` packets arrived, fewer than the budget allowed.
    borrowing func ranDry(after count: Int) {
        expected.store(max(1, count), ordering: .relaxed)
    }

    /// Records that as many packets arrived as the budget allowed.
    borrowing func wasUsedUp(_ budget: Int) {
        if budget > 1 { expected.store(budget, ordering: .relaxed) }
    }
}
