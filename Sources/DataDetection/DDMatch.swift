import Foundation

/// A match that was detected in a text.
///
/// Only detection creates matches. Sendable because a match is immutable: it and each of its subclasses, which are
/// final, consist of constants of Sendable types.
///
/// Source: DataDetection, `DDMatch.h`.
public class DDMatch: NSObject, @unchecked Sendable {
    /// The matched part of the text, as it is written there.
    public let matchedString: String

    init(_ matchedString: String) {
        self.matchedString = matchedString
        super.init()
    }
}

/// A link to a web page. Sendable for the reason given at ``DDMatch``.
public final class DDMatchLink: DDMatch, @unchecked Sendable {
    /// The link. If the text has no scheme, the scheme is `http`.
    public let url: URL

    package init(_ matchedString: String, url: URL) {
        self.url = url
        super.init(matchedString)
    }
}

/// A phone number. Sendable for the reason given at ``DDMatch``.
public final class DDMatchPhoneNumber: DDMatch, @unchecked Sendable {
    /// The number as it is written.
    public let phoneNumber: String
    /// The label of the number, such as "Work", if the text has one before it.
    public let label: String?

    init(_ matchedString: String, label: String?) {
        phoneNumber = matchedString
        self.label = label
        super.init(matchedString)
    }
}

/// An email address. Sendable for the reason given at ``DDMatch``.
public final class DDMatchEmailAddress: DDMatch, @unchecked Sendable {
    /// The address, without any `mailto:`.
    public let emailAddress: String
    /// The label of the address, such as "Home", if the text has one before it.
    public let label: String?

    init(_ matchedString: String, label: String?) {
        emailAddress = matchedString
        self.label = label
        super.init(matchedString)
    }
}

/// A postal address. Parts that the text does not contain are `nil`. Sendable for the reason given at ``DDMatch``.
public final class DDMatchPostalAddress: DDMatch, @unchecked Sendable {
    /// The street, with the house number.
    public let street: String?
    /// The city.
    public let city: String?
    /// The state or province, as it is written.
    public let state: String?
    /// The postal code.
    public let postalCode: String?
    /// The country, as it is written.
    public let country: String?

    init(_ matchedString: String, _ address: PostalAddress) {
        street = address.street
        city = address.city
        state = address.state
        postalCode = address.postalCode
        country = address.country
        super.init(matchedString)
    }
}

/// A date or a span of time. Sendable for the reason given at ``DDMatch``.
public final class DDMatchCalendarEvent: DDMatch, @unchecked Sendable {
    /// Whether the text gives days without a time.
    public let isAllDay: Bool
    /// The start of the event; if the event takes a whole day, the first moment of that day.
    public let startDate: Date?
    /// The time zone of the start, if the text names one.
    public let startTimeZone: TimeZone?
    /// The end, if the text gives one.
    public let endDate: Date?
    /// The time zone of the end, if the text names one.
    public let endTimeZone: TimeZone?

    init(_ matchedString: String, isAllDay: Bool, start: Date, end: Date?, timeZone: TimeZone?) {
        self.isAllDay = isAllDay
        startDate = start
        startTimeZone = timeZone
        endDate = end
        endTimeZone = end == nil ? nil : timeZone
        super.init(matchedString)
    }
}

/// The tracking number of a shipment. Sendable for the reason given at ``DDMatch``.
public final class DDMatchShipmentTrackingNumber: DDMatch, @unchecked Sendable {
    /// The carrier's name.
    public let carrier: String
    /// The number, without the spaces and hyphens that it may be written with.
    public let trackingNumber: String

    init(_ matchedString: String, carrier: String, trackingNumber: String) {
        self.carrier = carrier
        self.trackingNumber = trackingNumber
        super.init(matchedString)
    }
}

/// A flight. Sendable for the reason given at ``DDMatch``.
public final class DDMatchFlightNumber: DDMatch, @unchecked Sendable {
    /// The airline's name.
    public let airline: String
    /// The number of the flight, without the airline.
    public let flightNumber: String

    init(_ matchedString: String, airline: String, flightNumber: String) {
        self.airline = airline
        self.flightNumber = flightNumber
        super.init(matchedString)
    }
}

/// An amount of money. Sendable for the reason given at ``DDMatch``.
public final class DDMatchMoneyAmount: DDMatch, @unchecked Sendable {
    /// The currency's code in ISO 4217.
    public let currency: String
    /// The amount.
    public let amount: Double

    init(_ matchedString: String, currency: String, amount: Double) {
        self.currency = currency
        self.amount = amount
        super.init(matchedString)
    }
}
