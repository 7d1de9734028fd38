/// A field of a message. It is created from its key and a function that returns its value, and stores the functions
/// that decode and encode it.
@usableFromInline package struct Field<Root, Value>: Sendable {
    @usableFromInline let decode: @Sendable (inout MessageDecoder) throws(MessageError) -> Value
    @usableFromInline let encode: @Sendable (Root, inout MessageEncoder) -> Void

    @inlinable init(
        decode: @escaping @Sendable (inout MessageDecoder) throws(MessageError) -> Value,
        encode: @escaping @Sendable (Root, inout MessageEncoder) -> Void
    ) {
        self.decode = decode
        self.encode = encode
    }
}

extension Field where Value: FieldValue {
    /// Creates a field. If the value's type is optional, the field is absent from messages in which the value is `nil`.
    @inlinable package init(_ key: UInt64, _ get: @escaping @Sendable (Root) -> Value) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try Value.decode(from: &decoder, forKey: key)
            },
            encode: { root, encoder in get(root).encode(to: &encoder, forKey: key) })
    }
}

extension Field where Value: MessageValue & Equatable & Sendable {
    /// Creates a field that is absent from messages in which it has its default value.
    @inlinable package init(_ key: UInt64, _ get: @escaping @Sendable (Root) -> Value, default value: Value) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try decoder.decodeIfPresent(forKey: key) ?? value
            },
            encode: { root, encoder in
                let current = get(root)
                if current != value { encoder.encode(current, forKey: key) }
            })
    }
}

extension Field where Value: MessageValue & Sendable {
    /// Creates a field that is always sent. If it is absent, because an older version of the program sent the message,
    /// its value is the given one.
    @inlinable package init(_ key: UInt64, _ get: @escaping @Sendable (Root) -> Value, absent value: Value) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try decoder.decodeIfPresent(forKey: key) ?? value
            },
            encode: { root, encoder in encoder.encode(get(root), forKey: key) })
    }
}

extension Field where Value == [UInt8] {
    /// Creates a field of bytes, sent as one byte string.
    @inlinable package init(_ key: UInt64, bytes get: @escaping @Sendable (Root) -> [UInt8]) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> [UInt8] in
                try decoder.decode(ByteString.self, forKey: key).bytes
            },
            encode: { root, encoder in get(root).withUnsafeBytes { encoder.encode(bytes: $0, forKey: key) } })
    }
}

extension Field where Value == [UInt8]? {
    /// Creates a field of bytes, sent as one byte string. The field is absent from messages in which the bytes are
    /// `nil`.
    @inlinable package init(_ key: UInt64, bytes get: @escaping @Sendable (Root) -> [UInt8]?) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> [UInt8]? in
                try decoder.decodeIfPresent(ByteString.self, forKey: key)?.bytes
            },
            encode: { root, encoder in
                get(root)?.withUnsafeBytes { encoder.encode(bytes: $0, forKey: key) }
            })
    }
}

extension Field {
    /// Creates a field with an array of limited length. Decoding fails before it reads more elements than the limit. If
    /// the field is absent, the array is empty.
    @inlinable package init<Element: MessageValue & Sendable>(
        _ key: UInt64, _ get: @escaping @Sendable (Root) -> Value, atMost limit: Int
    ) where Value == [Element] {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try decoder.decodeArray(forKey: key, atMost: limit)
            },
            encode: { root, encoder in encoder.encode(get(root), forKey: key) })
    }

    /// Creates a field with an array of limited length. The field is absent from messages in which the array is empty.
    @inlinable package init<Element: MessageValue & Sendable>(
        _ key: UInt64, unlessEmpty get: @escaping @Sendable (Root) -> Value, atMost limit: Int = .max
    ) where Value == [Element] {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try decoder.decodeArray(forKey: key, atMost: limit)
            },
            encode: { root, encoder in
                let elements = get(root)
                if !elements.isEmpty { encoder.encode(elements, forKey: key) }
            })
    }
}

/// A type that a field's value can have: a ``MessageValue``, or an optional ``MessageValue``.
@usableFromInline package protocol FieldValue: SendableMetatype {
    func encode(to encoder: inout MessageEncoder, forKey key: UInt64)
    static func decode(from decoder: inout MessageDecoder, forKey key: UInt64) throws(MessageError) -> Self
}

extension MessageValue {
    @inlinable package func encode(to encoder: inout MessageEncoder, forKey key: UInt64) {
        encoder.encode(self, forKey: key)
    }

    @inlinable package static func decode(
        from decoder: inout MessageDecoder, forKey key: UInt64
    ) throws(MessageError) -> Self {
        try decoder.decode(forKey: key)
    }
}

extension Optional: FieldValue where Wrapped: MessageValue {
    @inlinable package func encode(to encoder: inout MessageEncoder, forKey key: UInt64) {
        encoder.encodeIfPresent(self, forKey: key)
    }

    @inlinable package static func decode(
        from decoder: inout MessageDecoder, forKey key: UInt64
    ) throws(MessageError) -> Wrapped? {
        try decoder.decodeIfPresent(forKey: key)
    }
}
