extension UIPasteboard {
    /// A pattern that the whole text of an item may match.
    ///
    /// Source: UIKit, `UIPasteboard.h`.
    public struct DetectionPattern: Hashable, RawRepresentable, Sendable {
        /// The pattern as text.
        public let rawValue: String
        /// Creates a pattern. One that is none of the constants is never detected.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text is a web address. The value is a `String`, for "Paste and Go".
        public static let probableWebURL = DetectionPattern(
            rawValue: "com.apple.uikit.pasteboard-detection-pattern.probable-web-url")
        /// The text is a web search. The value is a `String`, for "Paste and Search".
        public static let probableWebSearch = DetectionPattern(
            rawValue: "com.apple.uikit.pasteboard-detection-pattern.probable-web-search")
        /// The text is a number. The value is a `Double`.
        public static let number = DetectionPattern(rawValue: "com.apple.uikit.pasteboard-detection-pattern.number")
    }
}
