extension Field {
    @inlinable init<A, B>(group a: Field<Root, A>, _ b: Field<Root, B>) where Value == (A, B) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                (try a.decode(&decoder), try b.decode(&decoder))
            },
            encode: { root, encoder in
                a.encode(root, &encoder)
                b.encode(root, &encoder)
            })
    }

    @inlinable init<A, B, C>(
        group a: Field<Root, A>, _ b: Field<Root, B>, _ c: Field<Root, C>
    ) where Value == (A, B, C) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                (try a.decode(&decoder), try b.decode(&decoder), try c.decode(&decoder))
            },
            encode: { root, encoder in
                a.encode(root, &encoder)
                b.encode(root, &encoder)
                c.encode(root, &encoder)
            })
    }

    @inlinable init<A, B, C, D>(
        group a: Field<Root, A>, _ b: Field<Root, B>, _ c: Field<Root, C>, _ d: Field<Root, D>
    ) where Value == (A, B, C, D) {
        self.init(
            decode: { (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                (
                    try a.decode(&decoder), try b.decode(&decoder), try c.decode(&decoder), try d.decode(&decoder)
                )
            },
            encode: { root, encoder in
                a.encode(root, &encoder)
                b.encode(root, &encoder)
                c.encode(root, &encoder)
                d.encode(root, &encoder)
            })
    }

    /// Creates a field whose value has a schema of its own. The fields of this schema are sent as fields of the message
    /// itself, not as a nested message.
    @inlinable package init(inline schema: Schema<Value>, _ get: @escaping @Sendable (Root) -> Value) {
        self.init(
            decode: { [decode = schema.decode] (decoder: inout MessageDecoder) throws(MessageError) -> Value in
                try decode(&decoder)
            },
            encode: { [encode = schema.encode] root, encoder in encode(get(root), &encoder) })
    }
}

/// Functions that combine several fields into one field, whose value is a tuple. A message of more than ten fields
/// needs such groups. Grouping does not change the encoded message.
extension SchemaMessage {
    @inlinable package static func group<A, B>(_ a: Field<Self, A>, _ b: Field<Self, B>) -> Field<Self, (A, B)> {
        Field(group: a, b)
    }

    @inlinable package static func group<A, B, C>(
        _ a: Field<Self, A>, _ b: Field<Self, B>, _ c: Field<Self, C>
    ) -> Field<Self, (A, B, C)> {
        Field(group: a, b, c)
    }

    @inlinable package static func group<A, B, C, D>(
        _ a: Field<Self, A>, _ b: Field<Self, B>, _ c: Field<Self, C>, _ d: Field<Self, D>
    ) -> Field<Self, (A, B, C, D)> {
        Field(group: a, b, c, d)
    }
}
