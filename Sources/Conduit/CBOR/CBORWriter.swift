/// A writer of CBOR (RFC 8949) in preferred serialization (§4.1).
///
/// The writer first fills memory that the caller provides, usually on the stack. When this memory is full, the writer
/// continues in allocated memory. Therefore a small message is written without an allocation.
package struct CBORWriter: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    private var capacity: Int
    private var ownsMemory = false
    /// The number of bytes written.
    package private(set) var count = 0

    /// Creates a writer.
    ///
    /// - Parameter scratch: memory that outlives the writer. No other code may use this memory as long as the writer
    ///   exists. It may be empty.
    package init(scratch: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)) {
        base = scratch.baseAddress
        capacity = scratch.count
    }

    deinit {
        if ownsMemory { base?.deallocate() }
    }

    /// Calls a function with the bytes written so far.
    package borrowing func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Reserves space for `length` more bytes at the end. The caller must fill this space at once.
    private mutating func extend(by length: Int) -> UnsafeMutableRawPointer {
        if let base, capacity - count >= length {
            defer { count += length }
            return base + count
        }
        return grow(by: length)
    }

    @inline(never)
    private mutating func grow(by length: Int) -> UnsafeMutableRawPointer {
        let (doubled, _) = capacity.multipliedReportingOverflow(by: 2)
        let size = max(doubled, count + length, 512)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let base {
            memory.copyMemory(from: base, byteCount: count)
            if ownsMemory { base.deallocate() }
        }
        (base, capacity, ownsMemory) = (memory, size, true)
        defer { count += length }
        return memory + count
    }

    /// Appends bytes unchanged.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        extend(by: bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Appends one byte unchanged.
    package mutating func append(_ byte: UInt8) {
        extend(by: 1).storeBytes(of: byte, as: UInt8.self)
    }

    /// Replaces the byte at `offset`, which was already written.
    mutating func replace(at offset: Int, with byte: UInt8) {
        guard let base, offset >= 0, offset < count else { return }
        base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Writes a head, with its argument in as few bytes as possible.
    package mutating func writeHead(_ type: CBORMajorType, _ argument: UInt64) {
        let major = type.rawValue << 5
        switch argument {
        case ..<24: append(major | UInt8(argument))
        case ...0xFF: store(major | 24, UInt8(argument))
        case ...0xFFFF: store(major | 25, UInt16(argument))
        case ...0xFFFF_FFFF: store(major | 26, UInt32(argument))
        default: store(major | 27, argument)
        }
    }

    /// Writes a head: its first byte, and its argument in big-endian order.
    mutating func store<Value: FixedWidthInteger>(_ first: UInt8, _ argument: Value) {
        let place = extend(by: 1 + MemoryLayout<Value>.size)
        place.storeBytes(of: first, as: UInt8.self)
        place.storeBytes(of: argument.bigEndian, toByteOffset: 1, as: Value.self)
    }
}
