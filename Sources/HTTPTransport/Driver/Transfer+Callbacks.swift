import CCurl

// libcurl passes a pointer to the transfer to these functions. The transfer exists as long as its handle is in the
// multi handle.

extension Transfer {
    static let begin: ccurl_start_function = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let isPermitted = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().begin()
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let receiveBytes: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    static let receiveLine: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let raw = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return raw.withMemoryRebound(to: UInt8.self) { transfer.receiveHeader($0) } ? size * count : 0
    }

    static let sendBytes: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return ccurl_read_abort }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    /// Sets the position in the request's body back to its beginning, because libcurl sends the body again.
    static let rewind: ccurl_seek_function = { context, offset, origin in
        guard let context, origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_FAIL }
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().sendPosition = Int(offset)
        return CURL_SEEKFUNC_OK
    }
}

extension Transfer {
    /// Returns the error of a transfer that libcurl itself has ended.
    func error(_ code: CURLcode) -> HTTPError {
        let attempt = ConnectionAttempt(
            easy: easy, message: message, origin: origin, settings: settings, trust: trust)
        if let failure = attempt.failure(code) { return failure }
        switch code {
        case CURLE_PARTIAL_FILE: return .truncated(origin, received: body?.delivered ?? 0, announced: announcedCount)
        case CURLE_GOT_NOTHING: return .connectionLost(origin, "the server closed it without a reply")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
            guard head.isComplete, let body else { return .connectionLost(origin, attempt.text(code)) }
            return .truncated(origin, received: body.delivered, announced: announcedCount)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            return .invalidReply(origin, attempt.text(code))
        case CURLE_OUT_OF_MEMORY: return .outOfMemory
        case CURLE_URL_MALFORMAT: return .invalidAddress(plan.request.address.description, "it is malformed")
        default: return .transport(origin, attempt.text(code))
        }
    }

    /// The number of bytes that the response's head announces, plus those that an earlier attempt delivered; `nil` if
    /// the head announces no number.
    private var announcedCount: Int? {
        head.headers["Content-Length"].flatMap { Int($0) }.map { $0 + (plan.resumption?.count ?? 0) }
    }
}

/// Checks whether a transfer has made no progress for too long.
struct StallWatch {
    /// The number of bytes that count as progress. A server that sends single bytes for hours makes no progress.
    static let least = 64

    private var count = -least
    private var since = ContinuousClock.now

    mutating func hasStalled(at now: ContinuousClock.Instant, count: Int, isIdle: Bool, patience: Duration) -> Bool {
        if isIdle || count - self.count >= Self.least {
            self.count = count
            since = now
        }
        return now - since > patience
    }
}
