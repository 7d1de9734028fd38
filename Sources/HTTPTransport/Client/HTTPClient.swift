import LinuxSystem

/// A client for HTTP servers, with its connections and requests.
///
/// A client has one thread, on which libcurl runs all transfers. Connections are reused, so a program needs only one
/// client for all servers with the same settings. Releasing the client ends its requests with ``HTTPError/closed``.
///
///     let client = try HTTPClient()
///     let address = try HTTPAddress("https://example.org/picture.jpg")
///     let response = try await client.send(HTTPRequest(.get, address), to: .file(file, offset: 0))
///     try response.requireSuccess()
///
/// A response with a status such as 404 does not cause an error. An error is thrown only if no complete response
/// arrives.
public final class HTTPClient: Sendable {
    let configuration: HTTPConfiguration
    let mailbox: TransferMailbox

    /// Creates a client and starts its thread.
    ///
    /// - Throws: ``HTTPError/outOfMemory`` if no thread or descriptor can be created.
    public init(_ configuration: HTTPConfiguration = HTTPConfiguration()) throws(HTTPError) {
        self.configuration = configuration
        do {
            let mailbox = try TransferMailbox()
            self.mailbox = mailbox
            let settings = TransferSettings(configuration)
            try SystemThread.start("purvey-http") {
                let (download, upload) = (configuration.downloadLimit, configuration.uploadLimit)
                guard let loop = TransferLoop(mailbox, settings, download: download, upload: upload) else {
                    return mailbox.refuseAll()
                }
                loop.run()
            }
        } catch {
            throw .outOfMemory
        }
    }

    deinit { mailbox.close() }

    /// Ends all requests with ``HTTPError/closed``, and refuses further ones.
    public func close() { mailbox.close() }

    /// Changes the limits for all transfers together, in bytes per second; `nil` for no limit. The limits apply to
    /// running transfers, too.
    public func setLimits(download: Int?, upload: Int?) { mailbox.send(.limit(download: download, upload: upload)) }

    /// Sends a request and waits for the whole response. Follows redirects, and repeats the request if the rules in
    /// ``HTTPRequest/retry`` permit this. Cancelling the task ends the request at once.
    ///
    /// - Returns: the response, regardless of its status.
    public func send(
        _ request: HTTPRequest, to destination: HTTPDestination = .memory(limit: 16 << 20)
    ) async throws(HTTPError) -> HTTPResponse {
        try await repeating(request) { request, resumption in
            await self.transfer(request, .plain(destination), resumption).outcome
        }
    }

    /// Sends a request and waits for the beginning of the response's body. The rest is read from the stream, for
    /// example in order to parse the body while it arrives. A failure after the beginning does not repeat the request.
    ///
    ///     let stream = try await client.stream(request)
    ///     while let bytes = try await stream.next() { try parser.parse(bytes) }
    public func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStream {
        let last = LastStream()
        let response = try await repeating(request) { request, _ in
            let buffer = StreamBuffer()
            let (id, outcome) = await self.transfer(request, .stream(buffer), nil)
            last.set(id, buffer)
            return outcome
        }
        let (id, buffer) = last.value
        return HTTPStream(response, buffer, id, self)
    }

    /// Runs one transfer.
    private func transfer(
        _ request: HTTPRequest, _ destination: TransferDestination, _ resumption: Resumption?
    ) async -> (id: TransferID, outcome: TransferOutcome) {
        let plan = TransferPlan(
            request: request, destination: destination, resumption: resumption,
            patience: request.patience ?? configuration.patience)
        let (id, isCancelled) = (mailbox.nextID(), CancellationFlag())
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSent = mailbox.send(
                    .start(id, plan, isCancelled: isCancelled) { continuation.resume(returning: $0) })
                if !isSent { continuation.resume(returning: .failure(.closed)) }
            }
        } onCancel: {
            // The flag cancels a transfer whose start command is not in the mailbox yet. A cancel command would arrive
            // before it and have no effect.
            isCancelled.set()
            mailbox.send(.cancel(id))
        }
        return (id, outcome)
    }

    /// The stream of the last attempt to send the request. Only one task uses it.
    private final class LastStream: Sendable {
        private let state = Lock<(TransferID, StreamBuffer)>((0, StreamBuffer()))
        var value: (TransferID, StreamBuffer) { state.withLock { $0 } }
        func set(_ id: TransferID, _ buffer: StreamBuffer) { state.withLock { $0 = (id, buffer) } }
    }
}

/// A response whose body arrives in pieces. Releasing the stream ends the transfer.
///
/// The transfer pauses while 1 MiB of received bytes waits to be read.
public final class HTTPStream: Sendable {
    /// The head of the response. If the status is not 2xx, ``HTTPResponse/body`` contains the body, and the stream is
    /// empty.
    public let response: HTTPResponse

    private let buffer: StreamBuffer
    private let id: TransferID
    /// The client. The stream retains the client, so that the client's thread continues to run.
    private let client: HTTPClient

    init(_ response: HTTPResponse, _ buffer: StreamBuffer, _ id: TransferID, _ client: HTTPClient) {
        self.response = response
        self.buffer = buffer
        self.id = id
        self.client = client
    }

    deinit { client.mailbox.send(.cancel(id)) }

    /// Waits for the next piece of the body, in order, and returns it. Returns `nil` after the last piece. Throws an
    /// error if the connection is lost before that.
    public func next() async throws(HTTPError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await buffer.next { client.mailbox.send(.resume(id)) }
        } onCancel: {
            client.mailbox.send(.cancel(id))
        }
        return try result.get()
    }
}
