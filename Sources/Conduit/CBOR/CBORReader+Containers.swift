extension CBORReader {
    /// Reads an array's head. Returns the number of items, or `nil` if they end with a break.
    ///
    /// The count never exceeds the number of remaining bytes, because each item takes at least one byte.
    package mutating func readArrayHead() throws(CBORError) -> Int? {
        try readCount(of: .array, itemsEach: 1)
    }

    /// Reads a map's head. Returns the number of pairs, or `nil` if they end with a break.
    package mutating func readMapHead() throws(CBORError) -> Int? {
        try readCount(of: .map, itemsEach: 2)
    }

    /// Moves past a break. Returns `false` if the next item is not a break.
    package mutating func skipBreak() throws(CBORError) -> Bool {
        guard offset < bytes.count else { throw CBORError(.endOfInput, at: offset) }
        guard bytes[offset] == 0xFF else { return false }
        offset += 1
        return true
    }

    private mutating func readCount(of type: CBORMajorType, itemsEach: UInt64) throws(CBORError) -> Int? {
        let start = offset
        let head = try readHead()
        guard head.type == type else { throw CBORError(.unexpectedType, at: start) }
        return head.isIndefinite ? nil : try checked(head.argument, itemsEach: itemsEach, startedAt: start)
    }

    /// Returns a count of items, after checking that the rest of the input can contain them.
    func checked(_ count: UInt64, itemsEach: UInt64, startedAt start: Int) throws(CBORError) -> Int {
        guard count <= UInt64(remaining) / itemsEach else { throw CBORError(.countExceedsInput, at: start) }
        return Int(count)
    }

    /// Moves past one item of any type, checking that it is well-formed (RFC 8949 appendix C).
    ///
    /// Text is not checked for valid UTF-8, because it is not used.
    package mutating func skip(depth: Int = 0) throws(CBORError) {
        let start = offset
        let head = try readHead()
        switch head.type {
        case .unsigned, .negative: break
        case .simple: if head.isBreak { throw CBORError(.unexpectedBreak, at: start) }
        case .bytes, .text:
            if head.isIndefinite {
                while try readChunk(of: head.type) != nil {}
            } else {
                _ = try take(head.argument, startedAt: start)
            }
        case .array, .map, .tag:
            guard depth < depthLimit else { throw CBORError(.tooDeep, at: start) }
            if head.isIndefinite {
                while try !skipBreak() {
                    try skip(depth: depth + 1)
                    if head.type == .map { try skip(depth: depth + 1) }
                }
            } else {
                let pairs: UInt64 = head.type == .map ? 2 : 1
                let count = head.type == .tag ? 1 : try checked(head.argument, itemsEach: pairs, startedAt: start)
                for _ in 0..<count * Int(pairs) { try skip(depth: depth + 1) }
            }
        }
    }
}
