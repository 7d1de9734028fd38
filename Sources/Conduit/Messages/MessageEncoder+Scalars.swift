/// Encoding of the most frequent types, specialized for the same reason as in `MessageDecoder+Scalars.swift`.
extension MessageEncoder {
    package mutating func encode(_ value: UInt64, forKey key: UInt64) {
        write(key: key)
        writer.write(unsigned: value)
    }

    package mutating func encode(_ value: Int, forKey key: UInt64) {
        write(key: key)
        writer.write(integer: value)
    }

    package mutating func encode(_ value: Double, forKey key: UInt64) {
        write(key: key)
        writer.write(value)
    }

    package mutating func encode(_ value: Bool, forKey key: UInt64) {
        write(key: key)
        writer.write(value)
    }

    package mutating func encode(_ value: String, forKey key: UInt64) {
        write(key: key)
        writer.write(text: value)
    }
}
