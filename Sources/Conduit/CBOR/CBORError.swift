/// The reason why bytes are not the expected CBOR, and the position of the faulty item.
@usableFromInline package struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        /// The item extends past the last byte of the input.
        case endOfInput
        /// The additional information is 28, 29 or 30, which RFC 8949 §3 reserves.
        case reservedInformation
        /// An indefinite length that the type does not allow, as for an integer or a tag (§3.2).
        case indefiniteLength
        /// A break outside of an indefinite-length item, or between a map's key and its value.
        case unexpectedBreak
        /// A chunk of a string that is not a definite-length string of the same type (§3.2.3).
        case invalidChunk
        /// A simple value below 32 that is encoded in two bytes (§3.3).
        case invalidSimpleValue
        /// Text that is not UTF-8.
        case invalidText
        /// An array or map with a count that exceeds the number of remaining bytes.
        case countExceedsInput
        /// More levels of nested items than the reader allows.
        case tooDeep
        /// A well-formed item of another type than the caller requested.
        case unexpectedType
        /// A number outside of the range of the requested type.
        case outOfRange
        /// Bytes after the end of the item.
        case trailingBytes
    }

    package let problem: Problem
    /// The offset, in bytes, of the first byte of the faulty item.
    package let offset: Int

    package init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    @usableFromInline package var description: String {
        let words =
            switch problem {
            case .endOfInput: "it ends in the middle of an item"
            case .reservedInformation: "reserved additional information"
            case .indefiniteLength: "an indefinite length where there can be none"
            case .unexpectedBreak: "a break where there can be none"
            case .invalidChunk: "a chunk of another type inside a string"
            case .invalidSimpleValue: "an invalid simple value"
            case .invalidText: "text that is not UTF-8"
            case .countExceedsInput: "a count greater than what is left"
            case .tooDeep: "nested too deeply"
            case .unexpectedType: "an item of another type than expected"
            case .outOfRange: "a number out of range"
            case .trailingBytes: "bytes after the end"
            }
        return "\(words), at byte \(offset)"
    }
}
