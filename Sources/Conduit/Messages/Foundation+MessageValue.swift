import Foundation

/// A UUID is sent as its 16 bytes.
extension UUID: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) {
        ByteString(withUnsafeBytes(of: uuid) { Array($0) }).write(to: &encoder)
    }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> UUID {
        let bytes = try ByteString.read(from: &decoder).bytes
        guard bytes.count == MemoryLayout<uuid_t>.size else { throw .invalid("an identifier has 16 bytes") }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

/// Data is sent as one byte string.
extension Data: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) {
        withUnsafeBytes { encoder.write(bytes: $0) }
    }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Data {
        try decoder.readBytes { Data($0) }
    }
}
