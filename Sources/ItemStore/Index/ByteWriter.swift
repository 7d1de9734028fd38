/// A buffer into which rows of the index are encoded. Its memory is reused for the next row.
package struct ByteWriter: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    package init(capacity: Int = 1024) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    /// The bytes written since the last ``clear()``. They are valid until the next write.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func clear() { count = 0 }

    mutating func cut(to count: Int) { self.count = min(self.count, count) }

    private mutating func makeRoom(for more: Int) {
        guard count + more > capacity else { return }
        let larger = max(capacity * 2, count + more)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        memory.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = memory
        capacity = larger
    }

    mutating func byte(_ value: UInt8) {
        makeRoom(for: 1)
        start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends an unsigned number of variable length: seven bits in each byte, the lowest bits first.
    mutating func number(_ value: UInt64) {
        makeRoom(for: 10)
        var rest = value
        while rest >= 0x80 {
            start.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count += 1
            rest >>= 7
        }
        start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends a signed number of variable length. Every negative number takes ten bytes, so this encoding suits
    /// numbers that are rarely negative.
    package mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value)) }

    mutating func double(_ value: Double) {
        makeRoom(for: 8)
        start.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: count, as: UInt64.self)
        count += 8
    }

    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(for: bytes.count)
        if let source = bytes.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
    }

    mutating func counted(_ bytes: UnsafeRawBufferPointer) {
        number(UInt64(bytes.count))
        raw(bytes)
    }

    mutating func counted(_ bytes: [UInt8]) {
        number(UInt64(bytes.count))
        makeRoom(for: bytes.count)
        bytes.withUnsafeBytes { source in
            if let source = source.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
        }
        count += bytes.count
    }

    mutating func text(_ text: String) {
        var text = text
        let length = text.utf8.count
        number(UInt64(length))
        makeRoom(for: length)
        let place = start + count
        text.withUTF8 { source in
            if let source = source.baseAddress { place.copyMemory(from: source, byteCount: length) }
        }
        count += length
    }
}

/// Reads bytes that a ``ByteWriter`` wrote. Throws ``damage`` if the bytes are truncated, or if a length exceeds the
/// remaining bytes.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    static var damage: IndexError { .corrupt("A row of the index cannot be read.") }

    var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were not read yet.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    mutating func byte() throws(IndexError) -> UInt8 {
        guard position < bytes.count else { throw Self.damage }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(IndexError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 64 else { throw Self.damage }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() throws(IndexError) -> Int64 { Int64(bitPattern: try number()) }

    mutating func double() throws(IndexError) -> Double {
        guard bytes.count - position >= 8 else { throw Self.damage }
        defer { position += 8 }
        let pattern = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        return Double(bitPattern: UInt64(littleEndian: pattern))
    }

    mutating func counted() throws(IndexError) -> UnsafeRawBufferPointer {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw Self.damage }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
    }

    mutating func array() throws(IndexError) -> [UInt8] { [UInt8](try counted()) }

    mutating func text() throws(IndexError) -> String { String(decoding: try counted(), as: UTF8.self) }
}
