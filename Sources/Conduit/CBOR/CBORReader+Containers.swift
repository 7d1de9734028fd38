extension CBORReader {
    /// Reads an array's head. Returns the number of elements, or `nil` if the array has an indefinite length and ends
    /// with a break.
    ///
    /// The count never exceeds the number of remaining bytes, because each element takes at least one byte.
    package mutating func readArrayHead() throws(CBORError) -> Int? {
        try readCount(of: .array, itemsEach: 1)
    }

    /// Reads a map's head. Returns the number of key-value pairs, or `nil` if the map has an indefinite length and ends
    /// with a break.
    package mutating func readMapHead() throws(CBORError) -> Int? {
        try readCount(of: .map, itemsEach: 2)
    }

    /// Advances past the next item if it is a break. Returns `false` if it is not a break.
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

    /// Returns `count` as an integer, after checking that the rest of the input is long enough for this many items.
    /// `itemsEach` is the number of items in each counted unit: 1 for an array, 2 for a map.
    func checked(_ count: UInt64, itemsEach: UInt64, startedAt start: Int) throws(CBORError) -> Int {
        guard count <= UInt64(remaining) / itemsEach else { throw CBORError(.countExceedsInput, at: start) }
        return Int(count)
    }

    /// Advances past one item of any type, and checks that the item is well-formed (RFC 8949 appendix C).
    ///
    /// Skipped text is not checked for valid UTF-8.
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
