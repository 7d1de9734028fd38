import LinuxSystem
import Synchronization

extension Connection {
    /// Sends a message as the body of a frame. The message is encoded on the calling thread, before any lock is
    /// acquired.
    ///
    /// Throws an error if this message cannot be sent. Does not throw if the connection has ended, because all calls
    /// that wait for a reply then fail in any case.
    func send(
        _ kind: Frame.Kind, call: UInt64, method: UInt64? = nil, body: some Message
    ) throws(ConduitError) {
        let failure: ConduitError? = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { scratch in
            do throws(ConduitError) {
                var encoder = MessageEncoder(scratch: scratch)
                Frame.begin(kind, call: call, elements: method == nil ? 4 : 5, in: &encoder.writer)
                if let method { encoder.writer.write(unsigned: method) }
                let bodyStart = encoder.writer.count
                encoder.writeMap(body)
                try post(&encoder, kind, call: call, method: method, bodyStart: bodyStart)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Replies to a call with an error.
    func sendFailure(_ failure: RemoteError, call: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { scratch in
            // Longer texts might not fit into a packet, and no user would read them.
            let wordLimit = 8 * 1024
            var writer = CBORWriter(scratch: scratch)
            Frame.begin(.failure, call: call, elements: 7, in: &writer)
            writer.write(text: failure.domain.shortened(toBytes: wordLimit))
            writer.write(integer: failure.code)
            writer.write(text: failure.message.shortened(toBytes: wordLimit))
            if let underlying = failure.underlying {
                writer.write(text: underlying.shortened(toBytes: wordLimit))
            } else {
                writer.writeNull()
            }
            // There is no way to report that a failure cannot be sent.
            _ = writer.withBytes { post($0, [], heldBytes: 0, answering: call) }
        }
    }

    /// Notifies the other side that the call was cancelled.
    func sendCancel(call: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { scratch in
            var writer = CBORWriter(scratch: scratch)
            Frame.begin(.cancel, call: call, elements: 3, in: &writer)
            // If this packet cannot be sent, the other side sends a reply, and the reply is ignored.
            _ = writer.withBytes { post($0, [], heldBytes: 0, answering: nil) }
        }
    }

    func sendProgress(completed: Int64, total: Int64, call: UInt64) {
        outbound.withLock { outbound in
            let result = outbound.send(completed: completed, total: total, of: call)
            waitForRoom(after: result, outbound)
        }
    }

    /// Sends queued packets after the socket has become writable. Runs on the loop's thread.
    func flush() {
        outbound.withLock { outbound in
            let remainder = outbound.flush(atMost: 64, isClosing: isClosing)
            guard let socket = outbound.socket else { return }
            switch remainder {
            case .waiting: break
            case .nothing:
                isClogged.store(false, ordering: .relaxed)
                watch(socket, forRoom: false)
            case .starving:
                // The socket is writable although the system is short of memory: watching it would make the loop
                // spin.
                watch(socket, forRoom: false)
                loop.perform(afterMilliseconds: Self.starvationPause) { [weak self] in self?.watchForRoom() }
            }
        }
    }

    /// The delay in milliseconds before sending is retried, if the system had no memory for a packet.
    private static let starvationPause: Int64 = 10

    private func watchForRoom() {
        outbound.withLock { outbound in
            guard let socket = outbound.socket else { return }
            watch(socket, forRoom: true)
        }
    }

    /// Sets the events that the loop watches for. Readability is included unless reading is suspended because of queued
    /// packets or unclosed descriptors. Writability is included if `forRoom` is `true`. The caller must hold the lock
    /// of `outbound`.
    private func watch(_ socket: SequencedPacketSocket, forRoom: Bool) {
        var events: EventPoll.Events = forRoom ? .writable : []
        if !isClogged.load(ordering: .relaxed), !isClosingBehind.load(ordering: .relaxed) { events.insert(.readable) }
        loop.setEvents(events, socket.descriptor, token: token)
    }

    /// Suspends reading if too many of the peer's descriptors wait to be closed, and resumes it otherwise.
    func setClosingBehind(_ isBehind: Bool) {
        outbound.withLock { outbound in
            isClosingBehind.store(isBehind, ordering: .relaxed)
            if let socket = outbound.socket { watch(socket, forRoom: outbound.isWaiting) }
        }
    }

    /// Sends an encoded frame. A body that does not fit into a packet is sent in a memory file.
    private func post(
        _ encoder: inout MessageEncoder, _ kind: Frame.Kind, call: UInt64, method: UInt64?, bodyStart: Int
    ) throws(ConduitError) {
        let descriptors = encoder.descriptors
        guard descriptors.count <= ConnectionLimits.descriptorsPerMessage else {
            throw .tooManyDescriptors(count: descriptors.count, limit: ConnectionLimits.descriptorsPerMessage)
        }
        let size = encoder.writer.count - bodyStart
        guard size <= limits.sentMessageSize else { throw .oversized(size: size, limit: limits.sentMessageSize) }
        let answered = kind == .reply ? call : nil
        if encoder.writer.count <= Frame.packetLimit {
            Frame.setDescriptorCount(descriptors.count, call: call, in: &encoder.writer)
            let failure = encoder.writer.withBytes { post($0, descriptors, heldBytes: 0, answering: answered) }
            guard let failure else { return }
            // A system with small send buffers accepts the same message in a memory file.
            guard failure == .messageTooLong, size > 0 else { throw .system(failure) }
        }
        let file = try Self.memoryFile(holding: encoder, from: bodyStart)
        let failure: Errno? = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { scratch in
            var writer = CBORWriter(scratch: scratch)
            Frame.begin(kind, call: call, elements: method == nil ? 4 : 5, in: &writer)
            Frame.setDescriptorCount(descriptors.count + 1, call: call, in: &writer)
            if let method { writer.write(unsigned: method) }
            writer.write(unsigned: UInt64(size))
            return writer.withBytes { post($0, descriptors + [file], heldBytes: size, answering: answered) }
        }
        if let failure { throw .system(failure) }
    }

    private static func memoryFile(
        holding encoder: borrowing MessageEncoder, from start: Int
    ) throws(ConduitError) -> FileDescriptor {
        let result: Result<FileDescriptor, Errno> = encoder.writer.withBytes { bytes in
            do throws(Errno) {
                let file = try MemoryFile.sealed(name: "purvey-message") { file throws(Errno) in
                    try file.writeAll(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                }
                return .success(file)
            } catch {
                return .failure(error)
            }
        }
        do { return try result.get() } catch { throw .system(error) }
    }

    /// Passes a packet to the kernel, or queues it. Returns `nil`, or the error if this packet cannot be sent.
    private func post(
        _ bytes: UnsafeRawBufferPointer, _ descriptors: [FileDescriptor], heldBytes: Int, answering call: UInt64?
    ) -> Errno? {
        outbound.withLock { outbound in
            if let call { outbound.dropProgress(of: call) }
            let result = outbound.send(
                bytes, descriptors, heldBytes: heldBytes, limits: limits, isClosing: isClosing)
            waitForRoom(after: result, outbound)
            if outbound.queuedBytes > limits.unreadBytes, let socket = outbound.socket,
                !isClogged.exchange(true, ordering: .relaxed)
            {
                watch(socket, forRoom: true)
            }
            if case .failed(let error) = result { return error }
            return nil
        }
    }

    private func waitForRoom(after result: Outbound.Result, _ outbound: Outbound) {
        guard case .waiting = result, let socket = outbound.socket else { return }
        watch(socket, forRoom: true)
    }
}
