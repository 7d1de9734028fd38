import Foundation

/// Something that was detected in a text.
///
/// Matches are made by detection only. Sendable because nothing in one ever changes: it and each of its subclasses, which are
/// final, consist of constants of Sendable types.
///
/// Source: DataDetection, `DDMatch.h`.
public class DDMatch: NSObject, @unchecked Sendable {
    /// The part of the text that it was detected in, as it is written there.
    public let matchedString: String

    init(_ matchedString: String) {
        self.matchedString = matchedString
        super.init()
    }
}

/// A link to a page. Sendable as ``DDMatch`` proves it.
public final class DDMatchLink: DDMatch, @unchecked Sendable {
    /// The link. Where the text has no scheme, `http`.
    public let url: URL

    init(_ matchedString: String, url: URL) {
        self.url = url
        super.init(matchedString)
    }
}

/// A telephone number. Sendable as ``DDMatch`` proves it.
public final class DDMatchPhoneNumber: DDMatch, @unchecked Sendable {
    /// The number as it is written.
    public let phoneNumber: String
    /// Which of somebody's numbers it is, such as "Work", where the text says so before it.
    public let label: String?

    init(_ matchedString: String, label: String?) {
        phoneNumber = matchedString
        self.label = label
        super.init(matchedString)
    }
}

/// An address of electronic mail. Sendable as ``DDMatch`` proves it.
public final class DDMatchEmailAddress: DDMatch, @unchecked Sendable {
    /// The address, without any `mailto:`.
    public let emailAddress: String
    /// Which of somebody's addresses it is, such as "Home", where the text says so before it.
    public let label: String?

    init(_ matchedString: String, label: String?) {
        emailAddress = matchedString
        self.label = label
        super.init(matchedString)
    }
}

/// An address of a house; what the text does not say is `nil`. Sendable as ``DDMatch`` proves it.
public final class DDMatchPostalAddress: DDMatch, @unchecked Sendable {
    /// The street, with the number of the house.
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

/// A date or a span of time. Sendable as ``DDMatch`` proves it.
public final class DDMatchCalendarEvent: DDMatch, @unchecked Sendable {
    /// Whether the text gives days without a time.
    public let isAllDay: Bool
    /// The start; of a whole day, its midnight.
    public let startDate: Date?
    /// The time zone of the start, where the text names one.
    public let startTimeZone: TimeZone?
    /// The end, where the text gives one.
    public let endDate: Date?
    /// The time zone of the end, where the text names one.
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

/// The number by which a carrier knows a parcel. Sendable as ``DDMatch`` proves it.
public final class DDMatchShipmentTrackingNumber: DDMatch, @unchecked Sendable {
    /// The carrier's name.
    public let carrier: String
    /// The number, without the spaces that it may be written with.
    public let trackingNumber: String

    init(_ matchedString: String, carrier: String, trackingNumber: String) {
        self.carrier = carrier
        self.trackingNumber = trackingNumber
        super.init(matchedString)
    }
}

/// A flight. Sendable as ``DDMatch`` proves it.
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

/// A sum of money. Sendable as ``DDMatch`` proves it.
public final class DDMatchMoneyAmount: DDMatch, @unchecked Sendable {
    /// The currency's code in ISO 4217.
    public let currency: String
    /// How much.
    public let amount: Double

    init(_ matchedString: String, currency: String, amount: Double) {
        self.currency = currency
        self.amount = amount
        super.init(matchedString)
    }
}
