import DataDetection
import Foundation

/// Detects the values of all requested kinds in one text.
///
/// Every detector reads the text from left to right. It looks ahead and back by a limited number of characters, which
/// its doc comment states. Therefore the time is linear in the length of the text. Detectors are independent of each
/// other: several may find the same part of a text.
enum PatternDetector {
    static func values(
        of kinds: Set<DetectedKind>, in text: DetectionText, clock: CalendarClock = .current
    ) -> UIPasteboard.DetectedValues {
        var values = UIPasteboard.DetectedValues()
        let links =
            kinds.isDisjoint(with: [.links, .probableWebURL, .probableWebSearch]) ? [] : LinkDetector.links(in: text)
        let address = WebText.address(in: text, links: links)
        for kind in kinds {
            switch kind {
            case .probableWebURL: values.probableWebURL = address ?? ""
            case .probableWebSearch: values.probableWebSearch = address == nil ? WebText.search(in: text) ?? "" : ""
            case .number: values.number = NumberForm.wholeText(text)
            case .links: values.links = links.map { DDMatchLink(text.string($0.range), url: $0.url) }
            case .phoneNumbers: values.phoneNumbers = PhoneNumberDetector.matches(in: text)
            case .emailAddresses: values.emailAddresses = EmailAddressDetector.matches(in: text)
            case .postalAddresses: values.postalAddresses = PostalAddressDetector.matches(in: text)
            case .calendarEvents: values.calendarEvents = CalendarEventDetector.matches(in: text, clock: clock)
            case .shipmentTrackingNumbers:
                values.shipmentTrackingNumbers = ShipmentTrackingNumberDetector.matches(in: text)
            case .flightNumbers: values.flightNumbers = FlightNumberDetector.matches(in: text)
            case .moneyAmounts: values.moneyAmounts = MoneyAmountDetector.matches(in: text)
            }
        }
        return values
    }
}

extension UIPasteboard.DetectedValues {
    /// Detects values in a text, which need not be on a pasteboard.
    package init(
        of keyPaths: Set<PartialKeyPath<UIPasteboard.DetectedValues>>, in text: String, clock: CalendarClock = .current
    ) {
        let text = DetectionText(text, isWhole: text.utf8.count <= DetectionText.limit)
        self = PatternDetector.values(of: DetectedKind.kinds(keyPaths), in: text, clock: clock)
    }
}
