import LinuxSystem

/// The loop of a WebSocket, on the WebSocket's thread. Only that thread uses the state.
final class WebSocketLoop {
    private let mailbox: WebSocketMailbox
    private let request: WebSocketRequest
    private let settings: TransferSettings
    private var reader: WebSocketReader
    /// The frames to send. The beginning of the first one may have been sent already.
    private var pending:
        [(bytes: ArraySlice<UInt8>, continuation: CheckedContinuation<Result<Void, HTTPError>, Never>?)] =
            []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// The instant of the last byte from the server, and of the last ping; `pinged` is `nil` if a byte has arrived
    /// since the ping.
    private var lastReceived = ContinuousClock.now
    private var pinged: ContinuousClock.Instant?
    /// The instant since which the system has accepted no byte of the first pending frame.
    private var stuckSince: ContinuousClock.Instant?
    /// Whether a close frame was sent, and whether one was received.
    private var (hasSentClose, hasReceivedClose) = (false, false)
    private var closeDeadline: ContinuousClock.Instant?

    /// The timeout for the exchange of all remaining frames, from the first close frame on.
    private static let closePatience = Duration.seconds(5)

    init(_ mailbox: WebSocketMailbox, _ request: WebSocketRequest, _ settings: TransferSettings) {
        self.mailbox = mailbox
        self.request = request
        self.settings = settings
        reader = WebSocketReader(limit: request.messageLimit)
    }

    deinit { buffer.deallocate() }

    private var origin: HTTPOrigin { request.address.origin }

    /// Runs the WebSocket until it ends. Blocks.
    func run() {
        let result: Result<Void, HTTPError>
        do {
            let connection = try WebSocketConnection(request.address, settings)
            try connect(connection)
            let first = try shakeHands(connection)
            mailbox.open()
            try take(first)
            try exchange(connection)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for frame in pending { frame.continuation?.resume(returning: result.flatMap { .failure(.closed) }) }
        mailbox.end(result)
    }

    private func checkCancellation() throws(HTTPError) {
        if mailbox.isCancelled { throw .cancelled }
    }

    // MARK: Beginning

    private func connect(_ connection: WebSocketConnection) throws(HTTPError) {
        repeat {
            mailbox.counter.reset()
            try checkCancellation()
        } while try !connection.connect(mailbox.counter)
    }

    /// Sends the handshake request, and reads its reply.
    ///
    /// - Returns: the bytes that followed the head of the reply.
    private func shakeHands(_ connection: WebSocketConnection) throws(HTTPError) -> [UInt8] {
        var handshake = WebSocketHandshake(request, settings)
        var unsent = try handshake.bytes()[...]
        let deadline = ContinuousClock.now + request.patience
        while true {
            mailbox.counter.reset()
            try checkCancellation()
            if !unsent.isEmpty, case .count(let count) = try connection.send(unsent) {
                unsent = unsent.dropFirst(count)
            }
            switch try connection.receive(buffer) {
            case .count(let count):
                guard let rest = try handshake.read(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
                    continue
                }
                lastReceived = .now
                return rest
            case .ended: throw .connectionLost(origin, "the server closed it without a reply")
            case .later: break
            }
            let rest = deadline - .now
            guard rest > .zero else { throw .noProgress(origin, request.patience) }
            connection.wait(mailbox.counter, receiving: true, sending: !unsent.isEmpty, for: rest)
        }
    }

    // MARK: Messages

    private func exchange(_ connection: WebSocketConnection) throws(HTTPError) {
        while true {
            mailbox.counter.reset()
            try checkCancellation()
            for outgoing in mailbox.takeOutgoing() { pending.append((outgoing.bytes[...], outgoing.continuation)) }
            if mailbox.isClosing, !hasSentClose { announceEnd(1000) }
            try sendPending(connection)
            if hasSentClose, hasReceivedClose, pending.isEmpty { return }
            let hasRoom = mailbox.hasRoom && !hasReceivedClose
            // Received frames may require replies, so the loop sends first.
            if hasRoom, try !receive(connection) { continue }
            if hasReceivedClose, pending.isEmpty { return }
            let time = try checkTime(isReading: hasRoom)
            connection.wait(mailbox.counter, receiving: hasRoom, sending: !pending.isEmpty, for: time)
        }
    }

    private func sendPending(_ connection: WebSocketConnection) throws(HTTPError) {
        while let first = pending.first {
            guard case .count(let count) = try connection.send(first.bytes), count > 0 else {
                if stuckSince == nil { stuckSince = .now }
                return
            }
            stuckSince = nil
            pending[0].bytes = first.bytes.dropFirst(count)
            if pending[0].bytes.isEmpty { pending.removeFirst().continuation?.resume(returning: .success(())) }
        }
    }

    /// Receives the bytes that have arrived.
    ///
    /// - Returns: `true` if no more bytes can be received now.
    private func receive(_ connection: WebSocketConnection) throws(HTTPError) -> Bool {
        switch try connection.receive(buffer) {
        case .later: return true
        case .ended:
            // After a close frame of either side, the server may close the connection.
            guard hasSentClose || hasReceivedClose else { throw .connectionLost(origin, "the server closed it") }
            abandon()
            return true
        case .count(let count):
            (lastReceived, pinged) = (.now, nil)
            do {
                try takeFrames(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } catch {
                // The close frame reports the reason to the server. It is sent only if the system accepts it at once.
                _ = try? connection.send(WebSocketFrame.close(error.code)[...])
                throw self.error(error)
            }
            return false
        }
    }

    private func take(_ bytes: [UInt8]) throws(HTTPError) {
        do {
            try bytes.withUnsafeBufferPointer { bytes throws(WebSocketFault) in
                try takeFrames(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw self.error(error)
        }
    }

    private func takeFrames(_ bytes: UnsafeRawBufferPointer) throws(WebSocketFault) {
        for event in try reader.read(bytes) where !hasReceivedClose {
            switch event {
            case .message(let message): mailbox.deliver(message)
            case .ping(let payload):
                // Only the last ping needs a reply. Replies to a flood of pings would fill the memory.
                pending.removeAll { $0.continuation == nil && $0.bytes.startIndex == 0 && !hasSentClose }
                pending.append((WebSocketFrame.encoded(.pong, payload)[...], nil))
            case .pong: break
            case .close(let closure):
                hasReceivedClose = true
                mailbox.note(closure)
                if !hasSentClose { announceEnd(closure.code == 1005 ? nil : closure.code) }
            }
        }
    }

    private func announceEnd(_ code: UInt16?) {
        hasSentClose = true
        pending.append((WebSocketFrame.close(code)[...], nil))
        closeDeadline = .now + Self.closePatience
    }

    /// Ends the exchange of frames, and drops the frames that were not sent.
    private func abandon() {
        hasReceivedClose = true
        for frame in pending { frame.continuation?.resume(returning: .failure(.closed)) }
        pending = []
    }

    private func error(_ fault: WebSocketFault) -> HTTPError {
        switch fault {
        case .protocolError(let reason): .invalidReply(origin, reason)
        case .invalidText: .invalidReply(origin, "a text is not UTF-8")
        case .tooLong: .bodyTooLong(origin, limit: request.messageLimit)
        }
    }

    // MARK: Time

    /// Sends a ping after ``WebSocketRequest/silence``. Throws an error if the server sends no byte for
    /// ``WebSocketRequest/patience`` after the ping, or if the system accepts no byte of the pending frames for as
    /// long. After the deadline for the close frames, ends the exchange without an error.
    ///
    /// - Parameter isReading: whether the loop reads bytes from the server. If the loop does not read, missing bytes do
    ///   not prove that the connection is lost.
    /// - Returns: the duration until the next check.
    private func checkTime(isReading: Bool) throws(HTTPError) -> Duration {
        let now = ContinuousClock.now
        if let closeDeadline {
            guard now < closeDeadline else {
                // A missing close frame of the server is no error, because it would contain no further information.
                abandon()
                mailbox.counter.raise()
                return .zero
            }
            return closeDeadline - now
        }
        guard isReading else {
            (lastReceived, pinged) = (now, nil)
            return request.patience
        }
        if let stuckSince {
            guard now - stuckSince < request.patience else { throw .noProgress(origin, request.patience) }
            return request.patience - (now - stuckSince)
        }
        if let pinged {
            guard now - pinged < request.patience else { throw .noProgress(origin, now - lastReceived) }
            return request.patience - (now - pinged)
        }
        guard now - lastReceived >= request.silence else { return request.silence - (now - lastReceived) }
        pinged = now
        pending.append((WebSocketFrame.encoded(.ping, [])[...], nil))
        // The raised counter ends the next wait at once, so that the loop sends the frame.
        mailbox.counter.raise()
        return .zero
    }
}
