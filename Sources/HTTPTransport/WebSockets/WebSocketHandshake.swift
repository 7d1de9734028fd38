/// The request that turns a connection into a WebSocket, and the check of its reply.
struct WebSocketHandshake {
    private let request: WebSocketRequest
    private let userAgent: String
    private let headLimit: Int
    /// 16 random bytes in Base64. The reply contains a digest of these bytes. The digest proves that the reply comes
    /// from a WebSocket server, and not from a cache or a server of another protocol.
    private let key: String
    private var received: [UInt8] = []

    private static let ownFields: Set = [
        "host", "connection", "upgrade", "content-length", "transfer-encoding", "user-agent", "sec-websocket-key",
        "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-protocol",
    ]
    /// The constant of RFC 6455, section 1.3, that is appended to the key before the digest is computed.
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    init(_ request: WebSocketRequest, _ settings: TransferSettings) {
        self.request = request
        userAgent = settings.userAgent
        headLimit = settings.headLimit
        key = Self.base64((0..<16).map { _ in .random(in: .min ... .max) })
    }

    private var origin: HTTPOrigin { request.address.origin }

    /// Returns the bytes of the request.
    func bytes() throws(HTTPError) -> [UInt8] {
        let name = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let port = origin.port == (origin.isSecure ? 443 : 80) ? "" : ":\(origin.port)"
        let target = request.address.path + (request.address.query.map { "?" + $0 } ?? "")
        var lines = [
            "GET \(target) HTTP/1.1", "Host: \(name)\(port)", "User-Agent: \(userAgent)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)",
        ]
        for field in request.headers.fields {
            guard field.isValid, !Self.ownFields.contains(field.name.lowercased()) else {
                throw .invalidHeader(field.name)
            }
            lines.append("\(field.name): \(field.value)")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Reads the next bytes of the reply.
    ///
    /// - Returns: the bytes after the head of the reply; `nil` until the head is complete.
    /// - Throws: an error if the head is invalid.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> [UInt8]? {
        received += bytes
        guard let end = Self.end(of: received) else {
            guard received.count <= headLimit else { throw .headTooLong(origin, limit: headLimit) }
            guard received.starts(with: "HTTP/".utf8.prefix(received.count)) else {
                throw .invalidReply(origin, "it is not HTTP")
            }
            return nil
        }
        guard end <= headLimit else { throw .headTooLong(origin, limit: headLimit) }
        var head = ResponseHead()
        received.withUnsafeBufferPointer { all in
            for line in all[..<end].split(separator: UInt8(ascii: "\n")) {
                head.take(UnsafeBufferPointer(rebasing: line))
            }
        }
        try check(head)
        return Array(received[end...])
    }

    private func check(_ head: ResponseHead) throws(HTTPError) {
        guard head.status == 101 else {
            guard head.status >= 200 else { throw .invalidReply(origin, "it is not a reply to a WebSocket's request") }
            throw .status(head.status, origin)
        }
        guard has(head, "Upgrade", "websocket"), has(head, "Connection", "upgrade") else {
            throw .invalidReply(origin, "it does not switch to a WebSocket")
        }
        let digest = try MessageDigest.bytes(.sha1, of: Array((key + Self.suffix).utf8))
        guard head.headers["Sec-WebSocket-Accept"] == Self.base64(digest) else {
            throw .invalidReply(origin, "it does not accept this WebSocket, but another one")
        }
        guard head.headers["Sec-WebSocket-Extensions"] == nil, head.headers["Sec-WebSocket-Protocol"] == nil else {
            throw .invalidReply(origin, "it uses an extension of WebSockets that was not requested")
        }
    }

    /// Whether the list in the given header field contains the given word.
    private func has(_ head: ResponseHead, _ name: String, _ word: String) -> Bool {
        head.headers.values(name).flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
            .contains { $0.lowercased() == word }
    }

    /// Returns the length of the head in bytes, including the empty line at its end.
    private static func end(of bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count else { return nil }
        return (0...(bytes.count - mark.count)).first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
            .map { $0 + mark.count }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let digit = digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
