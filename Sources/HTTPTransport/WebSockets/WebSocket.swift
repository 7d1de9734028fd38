import LinuxSystem

/// A connection on which both sides send messages at any time (RFC 6455).
///
/// Each WebSocket has a thread, which receives messages before ``next()`` requests them. The thread pauses while 64
/// messages, or messages with more bytes than ``WebSocketRequest/messageLimit``, wait for ``next()``. Releasing the
/// WebSocket ends the connection.
///
///     let address = try HTTPAddress(webSocket: "wss://cloud.example/push")
///     let socket = try await client.openWebSocket(WebSocketRequest(address))
///     try await socket.send("hello")
///     while let message = try await socket.next() { print(message) }
///     print(socket.closure)
public final class WebSocket: Sendable {
    /// A message.
    public enum Message: Sendable, Equatable {
        case text(String)
        case bytes([UInt8])
    }

    /// The reason for which the server closed the connection.
    public struct Closure: Sendable, Equatable {
        /// A status code of RFC 6455, section 7.4; 1005 if the server sent none.
        public let code: UInt16
        /// A text for developers.
        public let reason: String
    }

    private let mailbox: WebSocketMailbox

    init(_ mailbox: WebSocketMailbox) { self.mailbox = mailbox }

    deinit { mailbox.cancel() }

    /// The reason for which the server closed the connection; `nil` if the connection is open, or was not closed by the
    /// server.
    public var closure: Closure? { mailbox.closure }

    /// Sends a message, and waits until it has been passed to the system. Cancelling the task ends the connection.
    public func send(_ text: String) async throws(HTTPError) { try await send(.text, Array(text.utf8)) }

    /// Sends a message of bytes, in the same way as ``send(_:)-(String)`` sends a text.
    public func send(_ bytes: [UInt8]) async throws(HTTPError) { try await send(.binary, bytes) }

    private func send(_ kind: WebSocketFrame.Kind, _ payload: [UInt8]) async throws(HTTPError) {
        let frame = WebSocketFrame.encoded(kind, payload)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { mailbox.send(frame, $0) }
        } onCancel: {
            mailbox.cancel()
        }
        try result.get()
    }

    /// Waits for the next message, in order, and returns it. Returns `nil` after either side has closed the connection
    /// as the protocol requires. Cancelling the task ends the connection.
    public func next() async throws(HTTPError) -> Message? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { mailbox.receive($0) }
        } onCancel: {
            mailbox.cancel()
        }
        return try result.get()
    }

    /// Sends a close frame, and waits a few seconds at most for the server's close frame. Messages that arrived earlier
    /// can still be read.
    public func close() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { mailbox.close($0) }
        } onCancel: {
            mailbox.cancel()
        }
    }
}

/// The settings of a WebSocket.
public struct WebSocketRequest: Sendable {
    /// The address, with the scheme `http` instead of `ws`, and `https` instead of `wss`: see
    /// ``HTTPAddress/init(webSocket:)``.
    public var address: HTTPAddress
    /// Header fields of the handshake request in addition to those of the protocol.
    public var headers: HTTPHeaders = [:]
    /// The longest message in bytes. A longer message ends the connection with ``HTTPError/bodyTooLong(_:limit:)``.
    public var messageLimit = 1 << 20
    /// The duration without a byte from the server after which a ping is sent.
    public var silence = Duration.seconds(60)
    /// The timeout of a ping and of the handshake. Without a reply, the connection ends with
    /// ``HTTPError/noProgress(_:_:)``.
    public var patience = Duration.seconds(30)

    /// Creates settings.
    public init(_ address: HTTPAddress) { self.address = address }
}

extension HTTPAddress {
    /// Parses an address with the scheme `ws` or `wss`, which is replaced by `http` or `https`.
    public init(webSocket text: String) throws(HTTPError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts.first?.lowercased() {
        case "ws" where parts.count == 2: try self.init("http:\(parts[1])")
        case "wss" where parts.count == 2: try self.init("https:\(parts[1])")
        default: throw .invalidAddress(text, "it does not begin with wss:// or ws://")
        }
    }
}

extension HTTPClient {
    /// Opens a WebSocket with the client's trust rules, proxies and connection timeout. The WebSocket stays open until
    /// it is released, even if the client is released before. Redirects are not followed. Cancelling the task ends the
    /// attempt at once.
    ///
    /// - Throws: ``HTTPError/status(_:_:)`` if the server refuses, besides the errors of connections.
    public func openWebSocket(_ request: WebSocketRequest) async throws(HTTPError) -> WebSocket {
        let mailbox: WebSocketMailbox
        do {
            mailbox = try WebSocketMailbox(limit: request.messageLimit)
            let settings = TransferSettings(configuration)
            try SystemThread.start("purvey-websocket") { WebSocketLoop(mailbox, request, settings).run() }
        } catch {
            throw .outOfMemory
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { mailbox.waitUntilOpen($0) }
        } onCancel: {
            mailbox.cancel()
        }
        try result.get()
        return WebSocket(mailbox)
    }
}
