import LinuxSystem

/// A type of values that a message can have under its keys or in an array.
package protocol MessageValue {
    func write(to encoder: inout MessageEncoder)
    static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self
}

extension Message {
    package func write(to encoder: inout MessageEncoder) {
        encoder.writeMap(self)
    }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        try decoder.readMap()
    }
}

extension Bool: MessageValue {
    package func write(to encoder: inout MessageEncoder) { encoder.writer.write(self) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Bool {
        do { return try decoder.reader.readBool() } catch { throw .malformed(error) }
    }
}

extension MessageValue where Self: FixedWidthInteger & SignedInteger {
    package func write(to encoder: inout MessageEncoder) { encoder.writer.write(integer: self) }
}

extension MessageValue where Self: FixedWidthInteger & UnsignedInteger {
    package func write(to encoder: inout MessageEncoder) { encoder.writer.write(unsigned: UInt64(self)) }
}

extension MessageValue where Self: FixedWidthInteger {
    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        do { return try decoder.reader.readInteger() } catch { throw .malformed(error) }
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
    package func write(to encoder: inout MessageEncoder) { encoder.writer.write(self) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Double {
        do { return try decoder.reader.readDouble() } catch { throw .malformed(error) }
    }
}

extension String: MessageValue {
    package func write(to encoder: inout MessageEncoder) { encoder.writer.write(text: self) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> String {
        do { return try decoder.reader.readText() } catch { throw .malformed(error) }
    }
}

/// An enumeration is sent as its raw value. An unknown raw value fails the message.
extension MessageValue where Self: RawRepresentable, RawValue: MessageValue {
    package func write(to encoder: inout MessageEncoder) { rawValue.write(to: &encoder) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        let raw = try RawValue.read(from: &decoder)
        guard let value = Self(rawValue: raw) else { throw .invalid("unknown \(Self.self): \(raw)") }
        return value
    }
}

/// A descriptor is sent beside the bytes. Its value is its index among the descriptors of the message.
extension FileDescriptor: MessageValue {
    package func write(to encoder: inout MessageEncoder) { encoder.attach(self) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> FileDescriptor {
        let index: UInt64 = try .read(from: &decoder)
        guard index < UInt64(decoder.descriptors.count) else { throw .missingDescriptor(index: index) }
        return decoder.descriptors[Int(index)]
    }
}

/// An array of values. Bytes are better sent as `ByteString`.
extension Array: MessageValue where Element: MessageValue {
    package func write(to encoder: inout MessageEncoder) {
        encoder.writer.writeHead(.array, UInt64(count))
        for element in self { element.write(to: &encoder) }
    }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> [Element] {
        try decoder.readArray()
    }
}

/// Bytes as one CBOR byte string.
package struct ByteString: MessageValue, Hashable, Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func write(to encoder: inout MessageEncoder) {
        bytes.withUnsafeBytes { encoder.writer.write(bytes: $0) }
    }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> ByteString {
        do { return ByteString(try decoder.reader.readBytes()) } catch { throw .malformed(error) }
    }
}
