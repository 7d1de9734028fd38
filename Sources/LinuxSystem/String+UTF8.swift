extension String {
    /// The text that bytes are in UTF-8; `nil` where they are not.
    ///
    /// `String(validating:as:)` takes 100 ns and more for the shortest name, because it is generic down to the last unit.
    @inlinable package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
