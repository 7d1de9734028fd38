/// Decoding of the most frequent types, for callers in other modules. The generic functions are not specialized for
/// those, and take several times as long.
extension MessageDecoder {
    package mutating func decode(_: UInt64.Type = UInt64.self, forKey key: UInt64) throws(MessageError) -> UInt64 {
        guard try seek(key) else { throw .missing(key: key) }
        return try UInt64.read(from: &self)
    }

    package mutating func decode(_: Int.Type = Int.self, forKey key: UInt64) throws(MessageError) -> Int {
        guard try seek(key) else { throw .missing(key: key) }
        return try Int.read(from: &self)
    }

    package mutating func decode(_: Bool.Type = Bool.self, forKey key: UInt64) throws(MessageError) -> Bool {
        guard try seek(key) else { throw .missing(key: key) }
        return try Bool.read(from: &self)
    }

    package mutating func decode(_: String.Type = String.self, forKey key: UInt64) throws(MessageError) -> String {
        guard try seek(key) else { throw .missing(key: key) }
        return try String.read(from: &self)
    }

    package mutating func decodeIfPresent(
        _: UInt64.Type = UInt64.self, forKey key: UInt64
    ) throws(MessageError) -> UInt64? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try UInt64.read(from: &self)
    }

    package mutating func decodeIfPresent(_: Int.Type = Int.self, forKey key: UInt64) throws(MessageError) -> Int? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try Int.read(from: &self)
    }

    package mutating func decodeIfPresent(
        _: Double.Type = Double.self, forKey key: UInt64
    ) throws(MessageError) -> Double? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try Double.read(from: &self)
    }

    package mutating func decodeIfPresent(
        _: ByteString.Type = ByteString.self, forKey key: UInt64
    ) throws(MessageError) -> ByteString? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try ByteString.read(from: &self)
    }

    package mutating func decodeIfPresent(_: Bool.Type = Bool.self, forKey key: UInt64) throws(MessageError) -> Bool? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try Bool.read(from: &self)
    }

    package mutating func decodeIfPresent(
        _: String.Type = String.self, forKey key: UInt64
    ) throws(MessageError) -> String? {
        guard try seek(key), !reader.skipNull() else { return nil }
        return try String.read(from: &self)
    }
}
