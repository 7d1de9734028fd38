import CCurl
import Glibc
import LinuxSystem

/// A connection that libcurl makes and encrypts, but that carries a protocol other than HTTP (`CURLOPT_CONNECT_ONLY`).
/// This module implements WebSockets itself, because the libcurl of Debian 12 does not support them. Only one thread
/// uses the connection. A function blocks only if its comment says so.
final class WebSocketConnection {
    /// The result of an attempt to send or receive.
    enum Attempt: Equatable {
        case count(Int)
        /// The connection is not ready.
        case later
        /// The server has ended the connection.
        case ended
    }

    private let origin: HTTPOrigin
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<CChar>
    private let settings: TransferSettings
    private let trust: TrustRules
    private var socket: CInt = -1

    init(_ address: HTTPAddress, _ settings: TransferSettings) throws(HTTPError) {
        origin = address.origin
        guard let trust = TrustRules(settings.trust, for: address.origin) else {
            throw .secureConnection(address.origin, "the given authorities have no valid certificate")
        }
        guard HTTPLibrary.isReady, let multi = curl_multi_init() else { throw .outOfMemory }
        guard let easy = curl_easy_init() else {
            curl_multi_cleanup(multi)
            throw .outOfMemory
        }
        self.trust = trust
        self.settings = settings
        self.multi = multi
        self.easy = easy
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        var options = EasyOptions(easy)
        options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(message))
        options.set(CURLOPT_URL, address.description)
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.setConnection(to: origin, settings, trust)
        options.set(CURLOPT_CONNECT_ONLY, 1)
        // If the client offered HTTP/2, the server might choose it, but a WebSocket needs HTTP/1.1.
        options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        // The proxy must forward all bytes unchanged.
        options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        guard options.failure == CURLE_OK else {
            throw .transport(origin, String(cString: curl_easy_strerror(options.failure)))
        }
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw .outOfMemory }
    }

    // A handle loses its connection when it is removed from its multi handle, so it is removed only here.
    deinit {
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        message.deallocate()
    }

    /// Continues to connect. Blocks until the attempt makes progress or the counter is raised, at most for one second.
    ///
    /// - Returns: whether the connection is made.
    func connect(_ counter: EventCounter) throws(HTTPError) -> Bool {
        var (running, rest): (CInt, CInt) = (0, 0)
        curl_multi_perform(multi, &running)
        while let done = curl_multi_info_read(multi, &rest) {
            guard done.pointee.msg == CURLMSG_DONE else { continue }
            let code = ccurl_result(done)
            let attempt = ConnectionAttempt(
                easy: easy, message: message, origin: origin, settings: settings, trust: trust)
            guard code == CURLE_OK else {
                throw attempt.failure(code) ?? .connectionLost(origin, attempt.text(code))
            }
            socket = ccurl_get_socket(easy)
            guard socket >= 0 else { throw .connectionLost(origin, "the server closed it") }
            return true
        }
        var extra = curl_waitfd(fd: counter.descriptor.rawValue, events: CShort(CURL_WAIT_POLLIN), revents: 0)
        var count: CInt = 0
        // The poll fails at once if memory is short. Without a pause, the loop would then use a whole processor.
        if curl_multi_poll(multi, &extra, 1, 1_000, &count) != CURLM_OK { usleep(10_000) }
        return false
    }

    /// Sends as many of the bytes as the system accepts now.
    func send(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> Attempt {
        var count = 0
        let code = bytes.withUnsafeBytes { curl_easy_send(easy, $0.baseAddress, $0.count, &count) }
        switch code {
        case CURLE_OK: return .count(count)
        case CURLE_AGAIN: return .later
        default: throw .connectionLost(origin, text(code))
        }
    }

    /// Receives bytes into a buffer.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Attempt {
        var count = 0
        switch curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count) {
        case CURLE_OK: return count > 0 ? .count(count) : .ended
        case CURLE_AGAIN: return .later
        case let code: throw .connectionLost(origin, text(code))
        }
    }

    private func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }

    /// Blocks until the connection is ready or the counter is raised, at most for the given duration. Bytes that
    /// libcurl has decrypted but that were not received yet do not end the wait.
    func wait(_ counter: EventCounter, receiving: Bool, sending: Bool, for time: Duration) {
        let events = (receiving ? POLLIN : 0) | (sending ? POLLOUT : 0)
        var descriptors = [
            pollfd(fd: counter.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
            // With no requested events, a socket that the server has closed would still end the wait at once.
            pollfd(fd: events == 0 ? -1 : socket, events: Int16(events), revents: 0),
        ]
        // An early end by EINTR is harmless.
        poll(&descriptors, 2, CInt(clamping: time.wholeMilliseconds))
    }
}

/// The global state of libcurl.
enum HTTPLibrary {
    /// Whether libcurl was initialized.
    static let isReady = ccurl_initialize() == CURLE_OK
}
