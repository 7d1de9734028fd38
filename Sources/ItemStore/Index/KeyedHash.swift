/// A hash function with a secret key, so that a provider cannot choose names or identifiers with equal hashes.
struct KeyedHash: Sendable {
    /// The first half of the key. Each index has a random key of its own.
    let first: UInt64
    private let second: UInt64

    init(first: UInt64, second: UInt64) {
        self.first = first | 1
        self.second = second | 1
    }

    /// Returns the hash of the given identifier.
    func identifier(_ bytes: UnsafeRawBufferPointer) -> UInt64 { hash(bytes, 0) }

    /// Returns the hash of the given name in the given directory.
    func name(_ bytes: UnsafeRawBufferPointer, in parent: ItemNumber) -> UInt64 {
        hash(bytes, UInt64(bitPattern: parent.rawValue))
    }

    func identifier(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { identifier(UnsafeRawBufferPointer($0)) }
    }

    func name(_ text: String, in parent: ItemNumber) -> UInt64 {
        var text = text
        return text.withUTF8 { name(UnsafeRawBufferPointer($0), in: parent) }
    }

    /// Returns a hash of the given bytes. Combines eight bytes at a time with the key, multiplies to 128 bits, and
    /// combines both halves of the product.
    private func hash(_ bytes: UnsafeRawBufferPointer, _ domain: UInt64) -> UInt64 {
        var state = Self.mixed(domain ^ first, UInt64(bytes.count) ^ second)
        var offset = 0
        while offset + 8 <= bytes.count {
            state = Self.mixed(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ second, state ^ first)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Self.mixed(Self.mixed(rest ^ first, state ^ second), second)
    }

    private static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
