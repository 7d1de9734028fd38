extension UIPasteboard {
    /// A pattern that the text of an item may follow as a whole.
    ///
    /// Source: UIKit, `UIPasteboard.h`.
    public struct DetectionPattern: Hashable, RawRepresentable, Sendable {
        /// The pattern as text.
        public let rawValue: String
        /// A pattern. One that is none of the constants is never detected.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text is the address of a page. The value is a `String`, for "Paste and Go".
        public static let probableWebURL = DetectionPattern(
            rawValue: "com.apple.uikit.pasteboard-detection-pattern.probable-web-url")
        /// The text is something to search the web for. The value is a `String`, for "Paste and Search".
        public static let probableWebSearch = DetectionPattern(
            rawValue: "com.apple.uikit.pasteboard-detection-pattern.probable-web-search")
        /// The text is a number. The value is a `Double`.
        public static let number = DetectionPattern(rawValue: "com.apple.uikit.pasteboard-detection-pattern.number")
    }
}
