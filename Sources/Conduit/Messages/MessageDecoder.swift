import LinuxSystem

/// Decodes a message's values by their keys.
///
/// Reading in the order of the keys takes one pass over the bytes. Another order works, but each request for a smaller
/// key restarts at the first key. Keys that are not requested are skipped. Invalid input cannot make the decoder trap.
@usableFromInline package struct MessageDecoder: ~Copyable {
    /// The maximum depth of nested messages and arrays.
    package static let depthLimit = 32

    var reader: CBORReader
    /// The descriptors of the message. Descriptors that no decoded value retains are closed when the decoder is
    /// released.
    package let descriptors: [FileDescriptor]
    private var map = OpenMap()
    private var depth = 0

    /// The map that is being read, and the position in it.
    @usableFromInline struct OpenMap {
        /// The offset, in bytes, just after the map's head.
        var start = 0
        /// The number of key-value pairs, or `nil` if the map has an indefinite length and ends with a break.
        var count: Int?
        /// The number of pairs that were read. A pair counts as soon as its key was read.
        var pairsRead = 0
        /// The key that was read, but whose value was not read yet.
        var pendingKey: UInt64?
        /// The greatest key whose value was read or skipped.
        var passedKey: UInt64?
        var isAtEnd = false
    }

    /// Creates a decoder.
    ///
    /// - Parameter bytes: the encoded message. The memory must stay valid as long as the decoder is used.
    package init(_ bytes: UnsafeRawBufferPointer, descriptors: [FileDescriptor] = []) {
        self.init(CBORReader(bytes, depthLimit: Self.depthLimit), descriptors: descriptors)
    }

    /// Creates a decoder that starts at the position of the given reader.
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

    /// Decodes the value under the given key. Returns `nil` if the key is absent or its value is null.
    @inlinable package mutating func decodeIfPresent<Value: MessageValue>(
        _: Value.Type = Value.self, forKey key: UInt64
    ) throws(MessageError) -> Value? {
        guard try seekPresent(key) else { return nil }
        return try Value.read(from: &self)
    }

    /// Decodes the array under the given key. Returns an empty array if the key is absent or its value is null. Throws
    /// an error, before it reads the elements, if there are more than `limit`.
    @inlinable package mutating func decodeArray<Element: MessageValue>(
        of _: Element.Type = Element.self, forKey key: UInt64, atMost limit: Int
    ) throws(MessageError) -> [Element] {
        guard try seekPresent(key) else { return [] }
        return try readArray(atMost: limit)
    }

    /// Calls a function with the byte string under the given key, without copying the bytes. They are valid only until
    /// the function returns.
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

    /// Whether the current map has the given key. If so, the key's value can be decoded next.
    @usableFromInline package mutating func contains(key: UInt64) throws(MessageError) -> Bool { try find(key) }
}

extension MessageDecoder {
    /// Reads the nested message at the current position, and advances past its end.
    @inlinable mutating func readMap<Value: Message>() throws(MessageError) -> Value {
        let outer = try enterMap()
        let value = try Value(from: &self)
        try leaveMap(to: outer)
        return value
    }

    /// Enters the map at the current position. Returns the state of the enclosing map, to pass to ``leaveMap(to:)``.
    @usableFromInline mutating func enterMap() throws(MessageError) -> OpenMap {
        let outer = map
        try enter()
        do { map = OpenMap(start: 0, count: try reader.readMapHead()) } catch { throw .malformed(error) }
        map.start = reader.offset
        return outer
    }

    /// Advances past the end of the current map. Reading continues in the enclosing map, whose state is `outer`.
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

    /// Enters the array at the current position. Returns its number of elements, or `nil` if the array has an
    /// indefinite length and ends with a break. Throws an error if the number exceeds the limit.
    @usableFromInline mutating func enterArray(atMost limit: Int) throws(MessageError) -> Int? {
        try enter()
        let count: Int?
        do { count = try reader.readArrayHead() } catch { throw .malformed(error) }
        if let count, count > limit { throw .invalid("an array of \(count) elements, of at most \(limit)") }
        return count
    }

    @usableFromInline mutating func leaveArray() { depth -= 1 }

    /// Reads an integer. Throws an error if the integer is outside the given range.
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

    /// Whether the current array or map ends at the current position. If its length is indefinite, also advances past
    /// the break that ends it.
    ///
    /// - Parameters:
    ///   - count: the number of its items or pairs, or `nil` if its length is indefinite.
    ///   - read: the number of its items or pairs that were already read.
    @usableFromInline mutating func isEnd(of count: Int?, after read: Int) throws(MessageError) -> Bool {
        if let count { return read == count }
        do { return try reader.skipBreak() } catch { throw .malformed(error) }
    }

    /// Advances to the value of the given key. Returns `false` if the map has no such key.
    @usableFromInline mutating func seek(_ key: UInt64) throws(MessageError) -> Bool {
        guard try find(key) else { return false }
        map.pendingKey = nil
        map.passedKey = key
        return true
    }

    /// Advances to the value of the given key. Returns `false` if the map has no such key, or if its value is null.
    @usableFromInline mutating func seekPresent(_ key: UInt64) throws(MessageError) -> Bool {
        try seek(key) && !reader.skipNull()
    }

    /// Advances until the given key is the next key to be read. Returns `false` if the map has no such key.
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

    /// Reads the next key, unless a key is already pending. Returns `false` at the end of the map.
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

    /// Advances past the keys and values that were not requested, to the end of the map.
    private mutating func skipRest() throws(MessageError) {
        while try readKey() {
            map.passedKey = map.pendingKey
            map.pendingKey = nil
            do { try reader.skip(depth: depth) } catch { throw .malformed(error) }
        }
    }
}
