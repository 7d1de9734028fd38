import LinuxSystem

/// A decoder that reads a message's values by their keys.
///
/// Reading in the order of the keys takes one pass over the bytes. Another order works, but each request for a smaller
/// key restarts at the first key. Keys that are not requested are skipped. No input makes it trap.
@usableFromInline package struct MessageDecoder: ~Copyable {
    /// The maximum depth of messages and arrays inside each other.
    package static let depthLimit = 32

    var reader: CBORReader
    /// The descriptors of the message. Descriptors that no decoded value retains are closed when the decoder is
    /// released.
    package let descriptors: [FileDescriptor]
    private var map = OpenMap()
    private var depth = 0

    /// The position within the map that is being read.
    @usableFromInline struct OpenMap {
        /// The offset just after the map's head.
        var start = 0
        /// The number of pairs, or `nil` if the map ends with a break.
        var count: Int?
        /// The number of pairs that were read. A pair of which only the key was read counts, too.
        var pairsRead = 0
        /// A key that was read and whose value was not read yet.
        var pendingKey: UInt64?
        /// The greatest key with a value that was read or skipped.
        var passedKey: UInt64?
        var isAtEnd = false
    }

    /// Creates a decoder.
    ///
    /// - Parameter bytes: the encoded message, which must stay in place as long as the decoder is used.
    package init(_ bytes: UnsafeRawBufferPointer, descriptors: [FileDescriptor] = []) {
        self.init(CBORReader(bytes, depthLimit: Self.depthLimit), descriptors: descriptors)
    }

    /// Creates a decoder that starts at a reader's position.
    init(_ reader: CBORReader, descriptors: [FileDescriptor]) {
        self.reader = reader
        self.descriptors = descriptors
    }

    @inlinable package mutating func decode<Value: MessageValue>(
        _: Value.Type = Value.self, forKey key: UInt64
    ) throws(MessageError) -> Value {
        guard try seek(key) else { throw .missing(key: key) }
        return try Value.read(from: &self)
    }

    /// Decodes the value of a key. Returns `nil` if the key is absent or its value is null.
    @inlinable package mutating func decodeIfPresent<Value: MessageValue>(
        _: Value.Type = Value.self, forKey key: UInt64
    ) throws(MessageError) -> Value? {
        guard try seekPresent(key) else { return nil }
        return try Value.read(from: &self)
    }

    /// Decodes the array of a key. Returns an empty array if the key is absent or its value is null. Fails before it
    /// reads more elements than allowed.
    @inlinable package mutating func decodeArray<Element: MessageValue>(
        of _: Element.Type = Element.self, forKey key: UInt64, atMost limit: Int
    ) throws(MessageError) -> [Element] {
        guard try seekPresent(key) else { return [] }
        return try readArray(atMost: limit)
    }

    /// Calls a function with a byte string, without a copy. The bytes are invalid after the function returns.
    package mutating func decodeBytes<Result>(
        forKey key: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(MessageError) -> Result {
        guard try seek(key) else { throw .missing(key: key) }
        return try readBytes(body)
    }

    /// Calls a function with the byte string at the current position, as ``decodeBytes(forKey:_:)`` does.
    package mutating func readBytes<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(MessageError) -> Result {
        do { return body(try reader.readBytesInPlace()) } catch { throw .malformed(error) }
    }

    /// Whether the message has a key. If so, its value can be decoded next.
    @usableFromInline package mutating func contains(key: UInt64) throws(MessageError) -> Bool { try find(key) }
}

extension MessageDecoder {
    /// Reads the message at the current position, and moves past its end.
    @inlinable mutating func readMap<Value: Message>() throws(MessageError) -> Value {
        let outer = try enterMap()
        let value = try Value(from: &self)
        try leaveMap(to: outer)
        return value
    }

    /// Enters the map at the current position. Returns the position within the map around it.
    @usableFromInline mutating func enterMap() throws(MessageError) -> OpenMap {
        let outer = map
        try enter()
        do { map = OpenMap(start: 0, count: try reader.readMapHead()) } catch { throw .malformed(error) }
        map.start = reader.offset
        return outer
    }

    /// Moves past the end of the current map, to a position within the map around it.
    @usableFromInline mutating func leaveMap(to outer: OpenMap) throws(MessageError) {
        try skipRest()
        map = outer
        depth -= 1
    }

    @inlinable mutating func readArray<Element: MessageValue>(
        atMost limit: Int = .max
    ) throws(MessageError) -> [Element] {
        let count = try enterArray(atMost: limit)
        var elements: [Element] = []
        // The peer's count is not trusted: more memory is reserved only as elements arrive.
        if let count { elements.reserveCapacity(min(count, 256)) }
        while try !isEnd(of: count, after: elements.count) {
            guard elements.count < limit else { throw .invalid("an array of more than \(limit) elements") }
            elements.append(try Element.read(from: &self))
        }
        leaveArray()
        return elements
    }

    /// Enters the array at the current position. Returns its count, or `nil` if it ends with a break. Fails if the
    /// count exceeds the limit.
    @usableFromInline mutating func enterArray(atMost limit: Int) throws(MessageError) -> Int? {
        try enter()
        let count: Int?
        do { count = try reader.readArrayHead() } catch { throw .malformed(error) }
        if let count, count > limit { throw .invalid("an array of \(count) elements, of at most \(limit)") }
        return count
    }

    @usableFromInline mutating func leaveArray() { depth -= 1 }

    /// Reads an integer, and fails if it is outside of a range.
    @usableFromInline mutating func readInteger(in range: ClosedRange<Int128>) throws(MessageError) -> Int128 {
        let start = reader.offset
        let value: Int128
        do { value = try reader.readInteger() } catch { throw .malformed(error) }
        guard range.contains(value) else { throw .malformed(CBORError(.outOfRange, at: start)) }
        return value
    }

    private mutating func enter() throws(MessageError) {
        guard depth < Self.depthLimit else { throw .malformed(CBORError(.tooDeep, at: reader.offset)) }
        depth += 1
    }

    /// Whether an array or map ends at this position, after a number of items or pairs. Moves past its break.
    @usableFromInline mutating func isEnd(of count: Int?, after read: Int) throws(MessageError) -> Bool {
        if let count { return read == count }
        do { return try reader.skipBreak() } catch { throw .malformed(error) }
    }

    /// Moves to the value of a key. Returns `false` if the map has no such key.
    @usableFromInline mutating func seek(_ key: UInt64) throws(MessageError) -> Bool {
        guard try find(key) else { return false }
        map.pendingKey = nil
        map.passedKey = key
        return true
    }

    /// Moves to the value of a key. Returns `false` if the map has no such key or its value is null.
    @usableFromInline mutating func seekPresent(_ key: UInt64) throws(MessageError) -> Bool {
        try seek(key) && !reader.skipNull()
    }

    /// Advances until the given key is pending. Returns `false` if the map has no such key.
    private mutating func find(_ key: UInt64) throws(MessageError) -> Bool {
        if let passed = map.passedKey, key <= passed { rewind() }
        while try readKey() {
            guard let next = map.pendingKey, next < key else { return map.pendingKey == key }
            map.pendingKey = nil
            map.passedKey = next
            do { try reader.skip(depth: depth) } catch { throw .malformed(error) }
        }
        return false
    }

    private mutating func rewind() {
        map = OpenMap(start: map.start, count: map.count)
        reader.offset = map.start
    }

    /// Reads the next key, unless a key is pending. Returns `false` at the map's end.
    private mutating func readKey() throws(MessageError) -> Bool {
        if map.pendingKey != nil { return true }
        if map.isAtEnd { return false }
        if try isEnd(of: map.count, after: map.pairsRead) {
            map.isAtEnd = true
            return false
        }
        let start = reader.offset
        let key: UInt64
        do { key = try reader.readUnsigned() } catch { throw .malformed(error) }
        if let passed = map.passedKey, key <= passed { throw .keysOutOfOrder(offset: start) }
        map.pendingKey = key
        map.pairsRead += 1
        return true
    }

    /// Moves past everything that was not requested.
    private mutating func skipRest() throws(MessageError) {
        while try readKey() {
            map.passedKey = map.pendingKey
            map.pendingKey = nil
            do { try reader.skip(depth: depth) } catch { throw .malformed(error) }
        }
    }
}
