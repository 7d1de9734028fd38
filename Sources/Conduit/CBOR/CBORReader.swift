/// A reader of CBOR (RFC 8949) that reads item by item from memory, without building a tree.
///
/// Invalid input cannot make the reader trap, read outside of the input, or allocate more memory than the input has
/// bytes. The input must stay at its address as long as the reader is used.
package struct CBORReader {
    /// The default maximum depth of nested arrays, maps and tags.
    package static let defaultDepthLimit = 64

    let bytes: UnsafeRawBufferPointer
    /// The offset of the next item, in bytes from the start of the input.
    package internal(set) var offset = 0
    let depthLimit: Int

    package init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int = CBORReader.defaultDepthLimit) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    package var remaining: Int { bytes.count - offset }
    package var isAtEnd: Bool { offset == bytes.count }

    /// Checks that all bytes were read. Throws an error if bytes are left.
    package func finish() throws(CBORError) {
        guard isAtEnd else { throw CBORError(.trailingBytes, at: offset) }
    }

    /// Returns the next item's head without advancing past it.
    package func peekHead() throws(CBORError) -> CBORHead {
        var copy = self
        return try copy.readHead()
    }

    /// Reads the next item's head, but not the contents that follow it (a string's bytes, or an array's items). The
    /// caller reads these.
    package mutating func readHead() throws(CBORError) -> CBORHead {
        guard offset < bytes.count else { throw CBORError(.endOfInput, at: offset) }
        let first = bytes[offset]
        let information = first & 0x1F
        // Each of the eight values of three bits is a major type.
        let type = CBORMajorType(rawValue: first >> 5) ?? .simple
        if information < 24 {
            offset += 1
            return CBORHead(type: type, information: information, argument: UInt64(information))
        }
        let argument: UInt64
        let length: Int
        switch information {
        case 24: (argument, length) = (UInt64(try load(UInt8.self)), 1)
        case 25: (argument, length) = (UInt64(try load(UInt16.self)), 2)
        case 26: (argument, length) = (UInt64(try load(UInt32.self)), 4)
        case 27: (argument, length) = (try load(UInt64.self), 8)
        case CBORHead.indefinite:
            switch type {
            case .bytes, .text, .array, .map, .simple: (argument, length) = (0, 0)
            case .unsigned, .negative, .tag: throw CBORError(.indefiniteLength, at: offset)
            }
        default: throw CBORError(.reservedInformation, at: offset)
        }
        if type == .simple, information == 24, argument < 32 { throw CBORError(.invalidSimpleValue, at: offset) }
        offset += 1 + length
        return CBORHead(type: type, information: information, argument: argument)
    }

    /// Returns the big-endian integer that follows the first byte of the current item.
    private func load<Value: FixedWidthInteger>(_: Value.Type) throws(CBORError) -> Value {
        guard remaining > MemoryLayout<Value>.size else { throw CBORError(.endOfInput, at: offset) }
        return Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: Value.self))
    }

    /// Returns the next `count` bytes, and advances past them.
    mutating func take(_ count: UInt64, startedAt start: Int) throws(CBORError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(remaining) else { throw CBORError(.endOfInput, at: start) }
        let end = offset + Int(count)
        defer { offset = end }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }
}

/// The major types of RFC 8949 §3.1, by their number.
package enum CBORMajorType: UInt8, Sendable {
    case unsigned, negative, bytes, text, array, map, tag, simple
}

/// The start of a data item: its major type and argument (RFC 8949 §3).
package struct CBORHead: Hashable, Sendable {
    package let type: CBORMajorType
    /// The low five bits of the first byte.
    package let information: UInt8
    /// The integer's value, the length, the count, the tag number or the bits of the floating-point number; 0 when
    /// `information` is `indefinite`.
    package let argument: UInt64

    /// The additional information that marks an indefinite length or, in major type 7, a break.
    package static let indefinite: UInt8 = 31

    package var isIndefinite: Bool { information == Self.indefinite }
    package var isBreak: Bool { type == .simple && isIndefinite }
}
