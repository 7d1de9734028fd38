import LinuxSystem
import Synchronization

extension Connection: EventSource {
    func handle(_ events: EventPoll.Events, _ descriptor: FileDescriptor, buffer: UnsafeMutableRawBufferPointer) {
        if events.callForWriting, !isClosing.load(ordering: .acquiring) { flush() }
        guard events.callForReading else { return }
        let budget = receiveBudget.next()
        for count in 0..<budget {
            // One that has gone is read to the end: that is where the connection ends.
            if isClogged.load(ordering: .relaxed), !events.tellOfTheEnd { return }
            if isClosing.load(ordering: .acquiring) {
                return finish(outbound.withLock { $0.closeReason } ?? .closedHere)
            }
            do {
                let packet = try SequencedPacketSocket(descriptor).receive(into: buffer)
                if let violation = receive(packet, UnsafeRawBufferPointer(buffer)) { return finish(violation) }
            } catch .wouldBlock {
                return receiveBudget.ranDry(after: count)
            } catch .connectionReset {
                // Said once, when the peer closed before it had read everything. What it sent is still to be read.
                continue
            } catch {
                return finish(.system(error))
            }
        }
        receiveBudget.wasUsedUp(budget)
    }

    /// Handles a packet, or gives the reason to end the connection.
    private func receive(_ packet: ReceivedPacket, _ buffer: UnsafeRawBufferPointer) -> CloseReason? {
        guard packet.byteCount > 0 else { return .closedByPeer }
        var reader = CBORReader(UnsafeRawBufferPointer(rebasing: buffer[..<packet.byteCount]))
        do throws(CBORError) {
            let frame = try Frame(from: &reader)
            // A kind that a newer peer knows.
            guard let kind = frame.kind else { return nil }
            if packet.byteCount > Frame.packetLimit {
                reject(frame, kind, .oversized(size: packet.byteCount, limit: Frame.packetLimit))
            } else if packet.isTruncated || packet.descriptors.count != frame.descriptorCount {
                let arrived = packet.descriptors.count
                reject(frame, kind, .descriptorsLost(declared: frame.descriptorCount, arrived: arrived))
            } else if packet.descriptors.count > ConnectionLimits.descriptorsPerMessage + 1 {
                // One more than a message has: the memory file with its body.
                let limit = ConnectionLimits.descriptorsPerMessage
                reject(frame, kind, .tooManyDescriptors(count: packet.descriptors.count, limit: limit))
            } else {
                return try receive(frame, kind, &reader, packet.descriptors)
            }
            return nil
        } catch {
            return .protocolViolation("a packet that is not part of the protocol: \(error)")
        }
    }

    private func receive(
        _ frame: Frame, _ kind: Frame.Kind, _ reader: inout CBORReader, _ descriptors: [FileDescriptor]
    ) throws(CBORError) -> CloseReason? {
        switch kind {
        case .request: return try receiveRequest(frame, &reader, descriptors)
        case .reply:
            // Without a receiver it is an answer to a call that was given up.
            guard let receiver = takeReceiver(of: frame.call) else { return nil }
            do throws(ConduitError) {
                try withBody(reader, descriptors) { receiver.succeed(&$0) }
            } catch {
                receiver.fail(error)
            }
        case .failure:
            let failure = RemoteFailure(
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
            let method = try reader.readUnsigned()
            guard let handler = service.notices[method] else { return nil }
            var fault: MessageError?
            // A notice whose body is not there has nobody to tell so.
            try? withBody(reader, descriptors) { decoder in
                do throws(MessageError) { try handler(&decoder, self) } catch { fault = error }
            }
            if let fault, let handler = service.noticeFaults[method] {
                try? withBody(reader, descriptors) { decoder in try? handler(&decoder, fault, self) }
            }
        }
        return nil
    }

    private func receiveRequest(
        _ frame: Frame, _ reader: inout CBORReader, _ descriptors: [FileDescriptor]
    ) throws(CBORError) -> CloseReason? {
        let method = try reader.readUnsigned()
        guard let handler = service.calls[method] else {
            sendFailure(RemoteFailure(.unknownMethod, "there is no call \(method) here"), call: frame.call)
            return nil
        }
        let record = ServedCallRecord(connection: self, call: frame.call)
        let (isRepeated, isOneTooMany) = calls.withLock { calls in
            if calls.served[frame.call] != nil { return (true, false) }
            if calls.served.count >= limits.callsInFlight { return (false, true) }
            calls.served[frame.call] = record
            return (false, false)
        }
        if isRepeated { return .protocolViolation("a call under the number of one that is being served") }
        if isOneTooMany {
            let words = "\(limits.callsInFlight) calls of this connection are being served already"
            sendFailure(RemoteFailure(.tooManyCalls, words), call: frame.call)
            return nil
        }
        do throws(ConduitError) {
            try withBody(reader, descriptors) { decoder in
                do throws(MessageError) {
                    try handler(&decoder, record)
                } catch {
                    record.fail(RemoteFailure(.malformedRequest, "the request could not be understood: \(error)"))
                }
            }
        } catch {
            record.fail(error.asAnswer)
        }
        return nil
    }

    /// Fails what a packet belongs to, whose contents cannot be used.
    private func reject(_ frame: Frame, _ kind: Frame.Kind, _ error: ConduitError) {
        switch kind {
        case .request: sendFailure(error.asAnswer, call: frame.call)
        case .reply, .failure: takeReceiver(of: frame.call)?.fail(error)
        // What is lost of these has nobody who waits for it.
        case .progress, .cancel, .notice: break
        }
    }

    /// Gives a message's body to a function: from the packet, or from the memory file that came along.
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
        guard size <= UInt64(limits.messageSize) else {
            throw .oversized(size: Int(clamping: size), limit: limits.messageSize)
        }
        guard let file = descriptors.last else { throw .malformed(.missingDescriptor(index: 0)) }
        let mapping: Mapping
        do throws(Errno) {
            // Cutting an unsealed file short would end this process when it reads on.
            guard MemoryFile.isSealed(file), try file.status().size == Int(size) else {
                throw .invalidArgument
            }
            mapping = try Mapping(file, size: Int(size))
        } catch .invalidArgument {
            throw .malformed(.invalid("its body is not in a sealed memory file of the size it says"))
        } catch {
            throw .system(error)
        }
        var decoder = MessageDecoder(mapping.bytes, descriptors: descriptors.dropLast())
        body(&decoder)
        withExtendedLifetime(mapping) {}
    }
}

extension ConduitError {
    /// The error as the caller of a call gets it whose request could not be used.
    fileprivate var asAnswer: RemoteFailure {
        switch self {
        case .oversized: RemoteFailure(.oversized, "\(self)")
        case .descriptorsLost(let declared, let arrived):
            RemoteFailure(
                .descriptorsLost,
                "\(arrived) of \(declared) descriptors of the request arrived; the other side probably has too many open"
            )
        case .tooManyDescriptors: RemoteFailure(.tooManyDescriptors, "\(self)")
        case .malformed(let error):
            RemoteFailure(.malformedRequest, "the request could not be understood: \(error)")
        default: RemoteFailure(.malformedRequest, "the request could not be read: \(self)")
        }
    }
}
