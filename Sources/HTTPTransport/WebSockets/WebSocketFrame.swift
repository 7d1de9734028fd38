/// The encoding of WebSocket frames. A message consists of one or more frames.
enum WebSocketFrame {
    /// The opcodes.
    enum Kind: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue & 8 != 0 }
    }

    /// The maximum number of bytes in the payload of a control frame.
    static let controlLimit = 125

    /// Returns a client's frame that contains a whole message.
    ///
    /// - Parameter mask: the key that masks the payload, so that no proxy mistakes the payload for a request. It must
    ///   not be predictable.
    static func encoded(_ kind: Kind, _ payload: [UInt8], mask: UInt32 = .random(in: .min ... .max)) -> [UInt8] {
        var frame: [UInt8] = [0x80 | kind.rawValue]
        frame.reserveCapacity(payload.count + 14)
        switch payload.count {
        case ...125: frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: frame += [0x80 | 126] + bytes(of: UInt16(payload.count))
        default: frame += [0x80 | 127] + bytes(of: UInt64(payload.count))
        }
        let key = bytes(of: mask)
        frame += key
        var index = 0
        for byte in payload {
            frame.append(byte ^ key[index & 3])
            index += 1
        }
        return frame
    }

    /// Returns a close frame with the given status code, or without a status code for `nil`.
    static func close(_ code: UInt16?) -> [UInt8] { encoded(.close, code.map { bytes(of: $0) } ?? []) }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// A protocol fault of the server, after which the connection cannot be used.
enum WebSocketFault: Error, Equatable {
    /// The frames violate the protocol, for this reason.
    case protocolError(String)
    /// A text message is not UTF-8.
    case invalidText
    /// A message is longer than permitted.
    case tooLong

    /// The status code for the close frame (RFC 6455, section 7.4.1).
    var code: UInt16 {
        switch self {
        case .protocolError: 1002
        case .invalidText: 1007
        case .tooLong: 1009
        }
    }
}
