extension UIPasteboard {
    /// What was detected in the text of an item. What was not asked for is empty, as is what was not found.
    ///
    /// Source: UIKit, `UIPasteboard.DetectedValues`.
    public struct DetectedValues: Sendable {
        /// The text as the address of a page; empty where it is none.
        public internal(set) var probableWebURL = ""
        /// The text as something to search the web for; empty where it is not that.
        public internal(set) var probableWebSearch = ""
        /// The text as a number.
        public internal(set) var number: Double?
        /// Links to pages.
        public internal(set) var links: [DDMatchLink] = []
        /// Telephone numbers.
        public internal(set) var phoneNumbers: [DDMatchPhoneNumber] = []
        /// Addresses of electronic mail.
        public internal(set) var emailAddresses: [DDMatchEmailAddress] = []
        /// Addresses of houses.
        public internal(set) var postalAddresses: [DDMatchPostalAddress] = []
        /// Dates, with or without times.
        public internal(set) var calendarEvents: [DDMatchCalendarEvent] = []
        /// Numbers by which carriers know parcels.
        public internal(set) var shipmentTrackingNumbers: [DDMatchShipmentTrackingNumber] = []
        /// Flights.
        public internal(set) var flightNumbers: [DDMatchFlightNumber] = []
        /// Sums of money.
        public internal(set) var moneyAmounts: [DDMatchMoneyAmount] = []

        init() {}

        /// The key paths of what was found, of those that were asked for.
        public var patterns: Set<PartialKeyPath<DetectedValues>> {
            Set(DetectedKind.allCases.filter { $0.isFound(in: self) }.map(\.keyPath))
        }
    }
}
