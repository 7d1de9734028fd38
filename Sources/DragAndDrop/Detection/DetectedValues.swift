import DataDetection

extension UIPasteboard {
    /// A pattern that the whole text of an item may match.
    ///
    /// Source: UIKit, `UIPasteboard.h`.
    public struct DetectionPattern: Hashable, RawRepresentable, Sendable {
        /// The pattern as text.
        public let rawValue: String
        /// Creates a pattern. A pattern that is not one of the constants is never detected.
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

extension UIPasteboard {
    /// The values that were detected in the text of an item. A value that was not requested or not found is empty.
    ///
    /// Source: UIKit, `UIPasteboard.DetectedValues`.
    public struct DetectedValues: Sendable {
        /// The text as a web address; empty if the text is not a web address.
        public internal(set) var probableWebURL = ""
        /// The text as a web search; empty if the text is not a web search.
        public internal(set) var probableWebSearch = ""
        /// The text as a number.
        public internal(set) var number: Double?
        /// Links to web pages.
        public internal(set) var links: [DDMatchLink] = []
        /// Phone numbers.
        public internal(set) var phoneNumbers: [DDMatchPhoneNumber] = []
        /// Email addresses.
        public internal(set) var emailAddresses: [DDMatchEmailAddress] = []
        /// Postal addresses.
        public internal(set) var postalAddresses: [DDMatchPostalAddress] = []
        /// Dates, with or without times.
        public internal(set) var calendarEvents: [DDMatchCalendarEvent] = []
        /// Tracking numbers of shipments.
        public internal(set) var shipmentTrackingNumbers: [DDMatchShipmentTrackingNumber] = []
        /// Flights.
        public internal(set) var flightNumbers: [DDMatchFlightNumber] = []
        /// Amounts of money.
        public internal(set) var moneyAmounts: [DDMatchMoneyAmount] = []

        init() {}

        /// The key paths of the requested values that were found.
        public var patterns: Set<PartialKeyPath<DetectedValues>> {
            Set(DetectedKind.allCases.filter { $0.isFound(in: self) }.map(\.keyPath))
        }
    }
}
