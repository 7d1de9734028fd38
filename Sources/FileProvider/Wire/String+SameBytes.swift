extension String {
    /// Whether two texts are the same bytes: names that only look alike, as of another Unicode normal form, are two.
    package func hasSameBytes(as other: String) -> Bool {
        var one = self
        var other = other
        return one.withUTF8 { one in
            other.withUTF8 { other in one.count == other.count && one.elementsEqual(other) }
        }
    }
}
