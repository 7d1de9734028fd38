extension CBORReader {
    /// Reads an unsigned integer of any encoded width.
    package mutating func readUnsigned() throws(CBORError) -> UInt64 {
        let start = offset
        let head = try readHead()
        guard head.type == .unsigned else { throw CBORError(.unexpectedType, at: start) }
        return head.argument
    }

    /// Reads an integer. Throws an error if the integer is outside the range of the type `Value`.
    package mutating func readInteger<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(CBORError) -> Value {
        let start = offset
        let head = try readHead()
        let value: Value?
        switch head.type {
        case .unsigned: value = Value(exactly: head.argument)
        // The value is -1 - argument, which equals ~argument in two's complement.
        case .negative: value = Int64(exactly: head.argument).flatMap { Value(exactly: ~$0) }
        default: throw CBORError(.unexpectedType, at: start)
        }
        guard let value else { throw CBORError(.outOfRange, at: start) }
        return value
    }

    package mutating func readBool() throws(CBORError) -> Bool {
        let start = offset
        let head = try readHead()
        guard head.type == .simple, head.information == 20 || head.information == 21 else {
            throw CBORError(.unexpectedType, at: start)
        }
        return head.information == 21
    }

    /// Reads a floating-point number of any encoded width.
    package mutating func readDouble() throws(CBORError) -> Double {
        let start = offset
        let head = try readHead()
        guard head.type == .simple, let value = head.float else { throw CBORError(.unexpectedType, at: start) }
        return value
    }

    /// Advances past the next item if it is null. Returns `false` if it is not null.
    package mutating func skipNull() -> Bool {
        guard offset < bytes.count, bytes[offset] == 0xF6 else { return false }
        offset += 1
        return true
    }
}

extension CBORHead {
    /// The value if this is the head of a floating-point number, or `nil` for other heads (RFC 8949 §3.3).
    package var float: Double? {
        guard type == .simple else { return nil }
        return switch information {
        case 25: Double(Float16(bitPattern: UInt16(truncatingIfNeeded: argument)))
        case 26: Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        case 27: Double(bitPattern: argument)
        default: nil
        }
    }
}
