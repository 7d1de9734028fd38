extension CBORWriter {
    package mutating func write(unsigned value: UInt64) {
        writeHead(.unsigned, value)
    }

    package mutating func write<Value: FixedWidthInteger & SignedInteger>(integer value: Value) {
        let wide = Int64(value)
        if wide >= 0 {
            writeHead(.unsigned, UInt64(wide))
        } else {
            writeHead(.negative, UInt64(~wide))
        }
    }

    package mutating func write(bytes: UnsafeRawBufferPointer) {
        writeHead(.bytes, UInt64(bytes.count))
        append(bytes)
    }

    package mutating func write(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            writeHead(.text, UInt64(utf8.count))
            append(UnsafeRawBufferPointer(utf8))
        }
    }

    package mutating func write(_ value: Bool) {
        append(value ? 0xF5 : 0xF4)
    }

    package mutating func writeNull() {
        append(0xF6)
    }

    /// Writes a floating-point number in the smallest width that preserves its value. Every NaN is written in the form
    /// of RFC 8949 §4.2.2.
    package mutating func write(_ value: Double) {
        guard !value.isNaN else { return store(0xF9, UInt16(0x7E00)) }
        let single = Float(value)
        guard Double(single) == value else { return store(0xFB, value.bitPattern) }
        let half = Float16(single)
        if Float(half) == single {
            store(0xF9, half.bitPattern)
        } else {
            store(0xFA, single.bitPattern)
        }
    }

    /// Begins an array or map whose count is not known yet. `writeBreak()` ends the array or map.
    package mutating func beginIndefinite(_ type: CBORMajorType) {
        append(type.rawValue << 5 | CBORHead.indefinite)
    }

    package mutating func writeBreak() {
        append(0xFF)
    }
}
