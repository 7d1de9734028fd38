import LinuxSystem

/// Encodes a message's values under their keys, in ascending order of keys.
@usableFromInline package struct MessageEncoder: ~Copyable {
    var writer: CBORWriter
    /// The descriptors of the message, in the order in which they were attached.
    package private(set) var descriptors: [FileDescriptor] = []
    /// The last key that was written to the current map; `nil` if the map is empty.
    private var lastKey: UInt64?

    /// Creates an encoder.
    ///
    /// - Parameter scratch: memory that outlives the encoder, usually on the stack; may be empty.
    package init(scratch: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)) {
        writer = CBORWriter(scratch: scratch)
    }

    /// The bytes written so far.
    package var bytes: [UInt8] { writer.withBytes { [UInt8]($0) } }

    @inlinable package mutating func encode<Value: MessageValue>(_ value: Value, forKey key: UInt64) {
        write(key: key)
        value.write(to: &self)
    }

    /// Encodes a value under the given key. If the value is `nil`, neither the key nor a value is written.
    @inlinable package mutating func encodeIfPresent<Value: MessageValue>(_ value: Value?, forKey key: UInt64) {
        guard let value else { return }
        encode(value, forKey: key)
    }

    /// Encodes a byte string under the given key. The bytes are copied only once, into the message.
    @usableFromInline package mutating func encode(bytes: UnsafeRawBufferPointer, forKey key: UInt64) {
        write(key: key)
        write(bytes: bytes)
    }

    /// Writes a byte string as the value of the key that was written last.
    package mutating func write(bytes: UnsafeRawBufferPointer) { writer.write(bytes: bytes) }

    /// Attaches a descriptor to the message, and writes the descriptor's index as the value.
    mutating func attach(_ descriptor: FileDescriptor) {
        writer.write(unsigned: UInt64(descriptors.count))
        descriptors.append(descriptor)
    }

    @usableFromInline mutating func write(key: UInt64) {
        assert(lastKey.map { $0 < key } ?? true, "key \(key) is not written in ascending order")
        lastKey = key
        writer.write(unsigned: key)
    }

    /// Writes a message nested in the current message.
    @inlinable mutating func writeMap<Value: Message>(_ value: Value) {
        let outer = beginMap()
        value.encode(to: &self)
        endMap(in: outer)
    }

    /// Begins a nested map. Returns the last key of the enclosing map, to pass to ``endMap(in:)``.
    @usableFromInline mutating func beginMap() -> UInt64? {
        defer { lastKey = nil }
        // The number of keys is unknown at this point. One byte at the end is cheaper than counting first.
        writer.beginIndefinite(.map)
        return lastKey
    }

    /// Ends the current map.
    ///
    /// - Parameter outer: the last key of the enclosing map.
    @usableFromInline mutating func endMap(in outer: UInt64?) {
        writer.writeBreak()
        lastKey = outer
    }

    /// Begins an array of `count` elements. The caller writes the elements next.
    @usableFromInline mutating func beginArray(count: Int) { writer.writeHead(.array, UInt64(count)) }

    @usableFromInline mutating func write(integer value: Int64) { writer.write(integer: value) }
    @usableFromInline mutating func write(unsigned value: UInt64) { writer.write(unsigned: value) }
}
