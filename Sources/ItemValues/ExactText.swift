/// A text that is compared byte by byte, such as an item's identifier or a file's name.
///
/// Swift's strings are equal if they are canonically equivalent, such as `é` as one scalar and as two scalars. To a
/// provider and to the file system, these are two identifiers and two names. Therefore sets and dictionaries of
/// identifiers and names must have elements and keys of this type.
@usableFromInline package struct ExactText: Hashable, Sendable, Comparable, ExpressibleByStringLiteral {
    @usableFromInline package let string: String

    @inlinable package init(_ string: String) { self.string = string }
    @inlinable package init(stringLiteral string: String) { self.string = string }

    @usableFromInline package static func == (one: ExactText, other: ExactText) -> Bool {
        one.string.hasSameBytes(as: other.string)
    }

    @usableFromInline package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = string.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil { for byte in string.utf8 { hasher.combine(byte) } }
        // This byte marks the end of the text. No text in UTF-8 contains it.
        hasher.combine(0xFF as UInt8)
    }

    @usableFromInline package static func < (one: ExactText, other: ExactText) -> Bool {
        one.string.utf8.lexicographicallyPrecedes(other.string.utf8)
    }
}

extension Set<ExactText> {
    package init(texts: some Sequence<String>) {
        self.init()
        reserveCapacity(texts.underestimatedCount)
        for text in texts { insert(text) }
    }

    package func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Inserts a text.
    ///
    /// - Returns: Whether the set did not contain the text before.
    @discardableResult
    package mutating func insert(_ text: String) -> Bool { insert(ExactText(text)).inserted }

    /// Removes a text.
    ///
    /// - Returns: Whether the set contained the text before.
    @discardableResult
    package mutating func remove(_ text: String) -> Bool { remove(ExactText(text)) != nil }

    /// The texts of the set, in no particular order.
    package var strings: some Collection<String> { lazy.map(\.string) }
}
