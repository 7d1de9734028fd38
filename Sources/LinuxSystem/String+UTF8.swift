extension String {
    /// Creates a string from UTF-8 bytes, or `nil` if they are not valid UTF-8.
    ///
    /// `String(validating:as:)` takes at least 100 ns for the shortest name, because it is generic down to the code
    /// unit.
    @inlinable package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
