import CCurl

extension Transfer {
    /// Returns the reason why a transfer ended that libcurl ended itself.
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

    /// The number of bytes that the response's head announces.
    private var announcedCount: Int? {
        head.headers["Content-Length"].flatMap { Int($0) }.map { $0 + (plan.resumption?.count ?? 0) }
    }
}
