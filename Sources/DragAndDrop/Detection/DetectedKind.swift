/// The kinds of detected values. Each kind stands for a key path of ``UIPasteboard/DetectedValues``. A key path itself
/// may not cross threads.
enum DetectedKind: CaseIterable, Sendable {
    case probableWebURL, probableWebSearch, number
    case links, phoneNumbers, emailAddresses, postalAddresses
    case calendarEvents, shipmentTrackingNumbers, flightNumbers, moneyAmounts

    var keyPath: PartialKeyPath<UIPasteboard.DetectedValues> {
        switch self {
        case .probableWebURL: \.probableWebURL
        case .probableWebSearch: \.probableWebSearch
        case .number: \.number
        case .links: \.links
        case .phoneNumbers: \.phoneNumbers
        case .emailAddresses: \.emailAddresses
        case .postalAddresses: \.postalAddresses
        case .calendarEvents: \.calendarEvents
        case .shipmentTrackingNumbers: \.shipmentTrackingNumbers
        case .flightNumbers: \.flightNumbers
        case .moneyAmounts: \.moneyAmounts
        }
    }

    /// The pattern of the kind in the older interface; `nil` for a kind that only the newer interface has.
    var pattern: UIPasteboard.DetectionPattern? {
        switch self {
        case .probableWebURL: .probableWebURL
        case .probableWebSearch: .probableWebSearch
        case .number: .number
        default: nil
        }
    }

    /// Returns the kinds that the key paths identify. Key paths that are not of a kind are ignored.
    static func kinds(_ keyPaths: Set<PartialKeyPath<UIPasteboard.DetectedValues>>) -> Set<DetectedKind> {
        Set(allCases.filter { keyPaths.contains($0.keyPath) })
    }

    /// Returns the kinds that the patterns identify. Unknown patterns are ignored.
    static func kinds(_ patterns: Set<UIPasteboard.DetectionPattern>) -> Set<DetectedKind> {
        Set(allCases.filter { $0.pattern.map(patterns.contains) ?? false })
    }

    func isFound(in values: UIPasteboard.DetectedValues) -> Bool {
        switch self {
        case .probableWebURL: !values.probableWebURL.isEmpty
        case .probableWebSearch: !values.probableWebSearch.isEmpty
        case .number: values.number != nil
        case .links: !values.links.isEmpty
        case .phoneNumbers: !values.phoneNumbers.isEmpty
        case .emailAddresses: !values.emailAddresses.isEmpty
        case .postalAddresses: !values.postalAddresses.isEmpty
        case .calendarEvents: !values.calendarEvents.isEmpty
        case .shipmentTrackingNumbers: !values.shipmentTrackingNumbers.isEmpty
        case .flightNumbers: !values.flightNumbers.isEmpty
        case .moneyAmounts: !values.moneyAmounts.isEmpty
        }
    }
}

extension UIPasteboard.DetectedValues {
    /// The values that were found, by the pattern that identifies them in the older interface.
    var byPattern: [UIPasteboard.DetectionPattern: Any] {
        var values: [UIPasteboard.DetectionPattern: Any] = [:]
        if !probableWebURL.isEmpty { values[.probableWebURL] = probableWebURL }
        if !probableWebSearch.isEmpty { values[.probableWebSearch] = probableWebSearch }
        if let number { values[.number] = number }
        return values
    }
}
