import CCurl
import LinuxSystem

/// One running transfer, with the state of its response. Only the client's thread uses it.
final class Transfer {
    let id: TransferID
    let plan: TransferPlan
    let easy: UnsafeMutableRawPointer
    let settings: TransferSettings
    let trust: TrustRules
    private let limits: BandwidthLimits
    /// Whether the server has spoken HTTP/2 before.
    private let isMultiplexedServer: Bool
    private let complete: @Sendable (TransferOutcome) -> Void

    /// The list of header fields, and the buffer for libcurl's error message. libcurl uses both during the transfer.
    var fields: UnsafeMutablePointer<curl_slist>?
    let message: UnsafeMutablePointer<CChar>

    var head = ResponseHead()
    /// The value of ``ResponseHead/count`` when the request was sent last.
    private var headCountAtBegin: Int?
    var body: BodyDelivery?
    /// The failure that ended the transfer from within a callback of libcurl.
    var failure: HTTPError?
    /// Whether the transfer was ended because the destination has all requested bytes.
    var isCut = false
    /// The offset in the request's body of the next byte to send.
    var sendPosition = 0
    /// The number of bytes of the response's body.
    private var received = 0
    /// The number of bytes of bodies in both directions, including bytes that were sent again.
    private var moved = 0
    /// Whether the transfer is paused because the reader's ``StreamBuffer`` is full.
    private(set) var isPaused = false
    /// Whether the bandwidth limits have paused the transfer: receiving, and sending.
    private(set) var (isHeldDown, isHeldUp) = (false, false)
    /// Whether the server replied before it had the whole body of the request, and libcurl lost that reply.
    private var isReplyLost = false
    /// Whether ``complete`` was called. For a stream, it is called before the body has arrived.
    private var isCompleted = false
    private var progress = StallWatch()

    /// Creates a transfer; returns `nil` if no memory is available.
    init?(
        _ id: TransferID, _ plan: TransferPlan, _ settings: TransferSettings, _ limits: BandwidthLimits,
        _ trust: TrustRules, isMultiplexedServer: Bool, _ complete: @escaping @Sendable (TransferOutcome) -> Void
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.id = id
        self.plan = plan
        self.easy = easy
        self.settings = settings
        self.limits = limits
        self.trust = trust
        self.isMultiplexedServer = isMultiplexedServer
        self.complete = complete
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    // The transfer loop has removed the handle from the multi handle before.
    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    var origin: HTTPOrigin { plan.request.address.origin }

    // MARK: Functions that libcurl calls

    /// Prepares to send the request. libcurl also calls this function before it repeats the request, in two cases: the
    /// server requests credentials, or a reused connection ends without a reply.
    ///
    /// - Returns: Whether the request may be sent. A request that changes data is not repeated after a lost connection,
    ///   because the server may have carried it out. Over HTTP/2, a server reports which requests it has not processed.
    func begin() -> Bool {
        defer { headCountAtBegin = head.count }
        // libcurl 7.88 does not rewind the body if the head of a refusal arrives before the body is sent, and the rest
        // of the refusal arrives afterwards. Without this assignment, the repeated request would have no body, and the
        // server would wait for the body.
        sendPosition = 0
        if headCountAtBegin == head.count, !plan.request.method.isSafe, !isMultiplexedServer {
            failure = .connectionLost(origin, "the server closed it without a reply")
        }
        return failure == nil
    }

    /// Receives a line of a response's head. Returns `false` if the head is too long.
    func receiveHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        head.count += line.count
        guard head.count <= settings.headLimit else {
            failure = .headTooLong(origin, limit: settings.headLimit)
            return false
        }
        // Lines after the body has begun are trailers, which are ignored.
        if body == nil { head.take(line) }
        return true
    }

    /// Receives bytes of a response's body. Returns their count; any other value reports a failure or a pause to
    /// libcurl.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard limits.download.permits(at: .now) else {
            isHeldDown = true
            return ccurl_write_pause
        }
        guard var delivery = begunBody() else { return 0 }
        body = nil
        defer { body = delivery }
        switch delivery.receive(bytes) {
        case .goOn:
            count(received: bytes.count)
            return bytes.count
        case .pause:
            isPaused = true
            return ccurl_write_pause
        case .cut:
            count(received: bytes.count)
            isCut = true
            return 0
        case .fail(let error):
            failure = error
            return 0
        }
    }

    private func count(received count: Int) {
        received += count
        moved += count
        limits.download.count(count)
        plan.request.onProgress?(sendPosition, received)
    }

    /// Copies the next bytes of the request's body into a buffer. Returns their count; any other value reports a
    /// failure or a pause to libcurl.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard limits.upload.permits(at: .now) else {
            isHeldUp = true
            return ccurl_read_pause
        }
        let size = limits.upload.isLimited ? BandwidthLimit.piece : buffer.count
        let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size))
        do {
            let count = try plan.request.body.read(into: buffer, at: sendPosition)
            if count == 0, sendPosition < plan.request.body.count {
                failure = .fileTooShort
                return ccurl_read_abort
            }
            sendPosition += count
            moved += count
            limits.upload.count(count)
            plan.request.onProgress?(sendPosition, received)
            return count
        } catch {
            failure = .file(error)
            return ccurl_read_abort
        }
    }

    /// Begins the delivery of the body after the head has arrived. The caller of ``HTTPClient/stream(_:)`` receives the
    /// response at this moment.
    private func begunBody() -> BodyDelivery? {
        if let body { return body }
        do {
            let delivery = try BodyDelivery(plan, status: head.status, headers: head.headers)
            body = delivery
            if case .stream = plan.destination, 200..<300 ~= head.status { finish(with: .success(response(delivery))) }
            return delivery
        } catch {
            failure = error
            return nil
        }
    }

    /// Whether the bandwidth limits have paused the transfer in any direction.
    var isHeld: Bool { isHeldDown || isHeldUp }

    /// Continues the transfer after a pause. libcurl offers the bytes again, which may cause another pause.
    func goOn() {
        (isPaused, isHeldDown, isHeldUp) = (false, false, false)
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    // MARK: End

    /// Ends the transfer with libcurl's result.
    func finish(_ code: CURLcode) {
        if failure == nil, body == nil, code == CURLE_OK || (hasHead && head.status >= 400) { _ = begunBody() }
        flushBody()
        if let failure { return fail(failure) }
        guard let body else {
            isReplyLost = losesReply(code)
            return fail(error(code))
        }
        // A response that refuses the request is more useful than the error of a connection that was lost after the
        // response.
        guard code == CURLE_OK || isCut || (head.isComplete && head.status >= 400) else { return fail(error(code)) }
        if let error = body.failureAtEnd() { return fail(error) }
        finish(with: .success(response(body)))
        if case .stream(let buffer) = plan.destination { buffer.finish(.success(())) }
    }

    /// Whether the head of a response has arrived since the request was sent last.
    private var hasHead: Bool { head.isComplete && head.count > headCountAtBegin ?? 0 }

    /// Whether libcurl has lost the reply. Over HTTP/2, libcurl loses a refusal if the server ends the stream while the
    /// body is being sent.
    private func losesReply(_ code: CURLcode) -> Bool {
        // A server may carry out a POST without reading its body.
        guard code == CURLE_HTTP2_STREAM, !hasHead, plan.request.method != .post else { return false }
        var sent: Int64 = 0
        ccurl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &sent)
        return sent < plan.request.body.count
    }

    func fail(_ error: HTTPError) {
        flushBody()
        finish(with: .failure(error))
        if case .stream(let buffer) = plan.destination { buffer.finish(.failure(error)) }
    }

    private func finish(with result: Result<HTTPResponse, HTTPError>) {
        guard !isCompleted else { return }
        isCompleted = true
        complete(TransferOutcome(result: result, resumption: resumption, isReplyLost: isReplyLost))
    }

    private func flushBody() {
        if let error = body?.flush(), failure == nil { failure = error }
    }

    /// The part of the file that was delivered, if the next attempt can request only the rest; `nil` otherwise.
    private var resumption: Resumption? {
        guard plan.request.method == .get, case .plain(.file) = plan.destination, let body, body.delivered > 0,
            failure.map(\.isTransient) ?? true, let tag = head.headers["ETag"], tag.hasPrefix("\""),
            !plan.request.acceptsCompression || plan.request.range != nil
        else { return nil }
        return Resumption(entityTag: tag, count: body.delivered)
    }

    private func response(_ body: BodyDelivery) -> HTTPResponse {
        HTTPResponse(
            status: head.status, headers: head.headers, body: body.collected, deliveredCount: body.delivered,
            contentRange: head.headers["Content-Range"].flatMap { HTTPContentRange($0) },
            address: plan.request.address, version: isMultiplexed ? .http2 : .http1)
    }

    // MARK: Progress

    /// Ends the transfer if it has made no progress for too long.
    ///
    /// - Returns: Whether the transfer has ended.
    func hasStalled(at now: ContinuousClock.Instant) -> Bool {
        // While the transfer waits for a connection, libcurl's own time limit applies.
        var start: Int64 = 0
        ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &start)
        let count = moved + (head.isComplete ? StallWatch.least : 0)
        return progress.hasStalled(
            at: now, count: count, isIdle: isPaused || isHeld || start == 0, patience: plan.patience)
    }
}
