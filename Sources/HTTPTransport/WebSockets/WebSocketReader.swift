/// A parser of a server's frames, which arrive in pieces of any size.
struct WebSocketReader {
    /// A message or control frame that was read completely.
    enum Event: Equatable {
        case message(WebSocket.Message)
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocket.Closure)
    }

    private let limit: Int
    /// The bytes of an incomplete frame.
    private var rest: [UInt8] = []
    /// The message of which some fragments are still missing.
    private var begun: (kind: WebSocketFrame.Kind, payload: [UInt8])?

    init(limit: Int) { self.limit = limit }

    /// Reads the next bytes.
    ///
    /// - Returns: the messages and control frames that these bytes complete, in order.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(WebSocketFault) -> [Event] {
        rest += bytes
        var events: [Event] = []
        var position = 0
        while let (head, start) = try head(at: position) {
            let end = start + head.count
            guard end <= rest.count else { break }
            if let event = try take(head, Array(rest[start..<end])) { events.append(event) }
            position = end
        }
        rest.removeFirst(position)
        return events
    }

    private struct Head {
        let kind: WebSocketFrame.Kind
        let isFinal: Bool
        let count: Int
    }

    /// Returns the header of the frame at the given position, and the position of the frame's payload. Returns `nil` if
    /// the header is incomplete.
    ///
    /// If the length exceeds the limit, throws an error before the payload arrives, so that the payload uses no memory.
    private func head(at position: Int) throws(WebSocketFault) -> (Head, Int)? {
        guard rest.count - position >= 2 else { return nil }
        let (first, second) = (rest[position], rest[position + 1])
        guard first & 0x70 == 0 else { throw .protocolError("a frame uses an extension that was not agreed on") }
        guard let kind = WebSocketFrame.Kind(rawValue: first & 0x0F) else {
            throw .protocolError("a frame is of an unknown kind")
        }
        guard second & 0x80 == 0 else { throw .protocolError("a frame of the server is masked") }
        let isFinal = first & 0x80 != 0
        var (start, count) = (position + 2, UInt64(second))
        if count > 125 {
            let size = count == 126 ? 2 : 8
            guard rest.count - start >= size else {
                if kind.isControl { throw .protocolError("a control frame is too long") }
                return nil
            }
            count = rest[start..<(start + size)].reduce(0) { $0 << 8 | UInt64($1) }
            start += size
            guard count > (size == 2 ? 125 : 0xFFFF) else {
                throw .protocolError("a length is not in its shortest form")
            }
        }
        if kind.isControl {
            guard isFinal, count <= UInt64(WebSocketFrame.controlLimit) else {
                throw .protocolError("a control frame is too long or in fragments")
            }
        } else {
            guard count <= UInt64(max(0, limit - (begun?.payload.count ?? 0))) else { throw .tooLong }
        }
        return (Head(kind: kind, isFinal: isFinal, count: Int(count)), start)
    }

    private mutating func take(_ head: Head, _ payload: [UInt8]) throws(WebSocketFault) -> Event? {
        switch head.kind {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close: return .close(try Self.closure(payload))
        case .continuation:
            guard var message = begun else { throw .protocolError("a fragment belongs to no message") }
            begun = nil
            message.payload += payload
            guard head.isFinal else {
                begun = message
                return nil
            }
            return .message(try Self.message(message.kind, message.payload))
        case .text, .binary:
            guard begun == nil else { throw .protocolError("a message begins within another one") }
            guard head.isFinal else {
                begun = (head.kind, payload)
                return nil
            }
            return .message(try Self.message(head.kind, payload))
        }
    }

    private static func message(
        _ kind: WebSocketFrame.Kind, _ payload: [UInt8]
    ) throws(WebSocketFault) -> WebSocket.Message {
        guard kind == .text else { return .bytes(payload) }
        guard let text = String(validating: payload, as: UTF8.self) else { throw .invalidText }
        return .text(text)
    }

    private static func closure(_ payload: [UInt8]) throws(WebSocketFault) -> WebSocket.Closure {
        // The code 1005 stands for a close frame without a code, and is never sent.
        guard !payload.isEmpty else { return WebSocket.Closure(code: 1005, reason: "") }
        guard payload.count >= 2 else { throw .protocolError("the end has half a code") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .protocolError("the end has the code \(code)")
        }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else { throw .invalidText }
        return WebSocket.Closure(code: code, reason: reason)
    }
}
