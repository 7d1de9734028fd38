import Foundation
import LinuxSystem

/// A type whose values a message can contain, under a key or in an array.
@usableFromInline package protocol MessageValue: FieldValue {
    func write(to encoder: inout MessageEncoder)
    static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self
}

extension Message {
    @inlinable package func write(to encoder: inout MessageEncoder) {
        encoder.writeMap(self)
    }

    @inlinable package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        try decoder.readMap()
    }
}

extension Bool: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) { encoder.writer.write(self) }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Bool {
        do { return try decoder.reader.readBool() } catch { throw .malformed(error) }
    }
}

extension MessageValue where Self: FixedWidthInteger & SignedInteger {
    @inlinable package func write(to encoder: inout MessageEncoder) { encoder.write(integer: Int64(self)) }
}

extension MessageValue where Self: FixedWidthInteger & UnsignedInteger {
    @inlinable package func write(to encoder: inout MessageEncoder) { encoder.write(unsigned: UInt64(self)) }
}

extension MessageValue where Self: FixedWidthInteger {
    @inlinable package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        Self(truncatingIfNeeded: try decoder.readInteger(in: Int128(Self.min)...Int128(Self.max)))
    }
}

extension Int: MessageValue {}
extension Int32: MessageValue {}
extension Int64: MessageValue {}
extension UInt8: MessageValue {}
extension UInt16: MessageValue {}
extension UInt32: MessageValue {}
extension UInt64: MessageValue {}

extension Double: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) { encoder.writer.write(self) }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Double {
        do { return try decoder.reader.readDouble() } catch { throw .malformed(error) }
    }
}

extension String: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) { encoder.writer.write(text: self) }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> String {
        do { return try decoder.reader.readText() } catch { throw .malformed(error) }
    }
}

/// The encoding of an enumeration as its raw value. A message with an unknown raw value cannot be decoded.
extension MessageValue where Self: RawRepresentable, RawValue: MessageValue {
    @inlinable package func write(to encoder: inout MessageEncoder) { rawValue.write(to: &encoder) }

    @inlinable package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        let raw = try RawValue.read(from: &decoder)
        guard let value = Self(rawValue: raw) else { throw .invalid("unknown \(Self.self): \(raw)") }
        return value
    }
}

/// The encoding of a descriptor as its index among the message's descriptors. The descriptor itself is attached to the
/// packet.
extension FileDescriptor: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) { encoder.attach(self) }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError)
        -> FileDescriptor
    {
        let index: UInt64 = try .read(from: &decoder)
        guard index < UInt64(decoder.descriptors.count) else { throw .missingDescriptor(index: index) }
        return decoder.descriptors[Int(index)]
    }
}

/// The encoding of an array as an array of encoded values. For bytes, `ByteString` is smaller.
extension Array: FieldValue, MessageValue where Element: MessageValue {
    @inlinable package func write(to encoder: inout MessageEncoder) {
        encoder.beginArray(count: count)
        for element in self { element.write(to: &encoder) }
    }

    @inlinable package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> [Element] {
        try decoder.readArray()
    }
}

/// Bytes that are encoded as one CBOR byte string.
@usableFromInline package struct ByteString: MessageValue, Hashable, Sendable {
    @usableFromInline package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    @usableFromInline package func write(to encoder: inout MessageEncoder) {
        bytes.withUnsafeBytes { encoder.writer.write(bytes: $0) }
    }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> ByteString {
        do { return ByteString(try decoder.reader.readBytes()) } catch { throw .malformed(error) }
    }
}

extension String {
    /// Returns the longest prefix of whole characters that takes at most `limit` bytes in UTF-8.
    package func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

/// The encoding of a UUID as a byte string of 16 bytes.
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

/// The encoding of data as one byte string.
extension Data: MessageValue {
    @usableFromInline package func write(to encoder: inout MessageEncoder) {
        withUnsafeBytes { encoder.write(bytes: $0) }
    }

    @usableFromInline package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Data {
        try decoder.readBytes { Data($0) }
    }
}
