/// A date in a header field, with a resolution of one second (RFC 9110, section 5.6.7).
///
/// A server's dates are those of its own clock. The difference from this machine's clock can be computed from
/// ``HTTPResponse/date``.
public struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970.
    public let seconds: Int64

    /// Creates a date from seconds since 1970.
    public init(seconds: Int64) { self.seconds = seconds }

    /// Parses any of the protocol's three formats, or returns `nil`.
    ///
    /// - Parameter text: for example `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    ///   `Sun Nov  6 08:49:37 1994`.
    public init?(_ text: String) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        guard words.count >= 5, Self.weekdays.contains(String(words[0].prefix(3))) else { return nil }
        let parts: (day: Substring, month: Substring, year: Substring, time: Substring)
        switch words.count {
        case 6 where words[5] == "GMT" || words[5] == "UTC": parts = (words[1], words[2], words[3], words[4])
        case 5: parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        let clock = parts.time.split(separator: ":", omittingEmptySubsequences: false)
        guard let month = Self.months.firstIndex(of: String(parts.month)).map({ Int64($0) + 1 }), clock.count == 3,
            let day = Self.number(parts.day, 1...31), let hour = Self.number(clock[0], 0...23),
            let minute = Self.number(clock[1], 0...59), let second = Self.number(clock[2], 0...60),
            var year = Self.number(parts.year, 0...9999)
        else { return nil }
        if parts.year.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        guard parts.year.utf8.count == 2 || parts.year.utf8.count == 4 else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        guard Self.date(days: days).month == month else { return nil }
        seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Whether the first date is before the second.
    public static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }

    /// The date in the format that clients send.
    public var description: String {
        let (days, rest) = (seconds.quotient(by: 86_400), seconds.remainder(of: 86_400))
        let date = Self.date(days: days)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(repeating: "0", count: max(0, 4 - "\(date.year)".utf8.count)) + "\(date.year)"
        // The first day of 1970 was a Thursday.
        let weekday = Self.weekdays[Int((days + 4).remainder(of: 7))]
        return "\(weekday), \(two(date.day)) \(Self.months[Int(date.month - 1)]) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, _ allowed: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int64(text),
            allowed.contains(number)
        else { return nil }
        return number
    }

    /// Returns the number of days from 1970 to a date of the Gregorian calendar. In this computation, years begin in
    /// March, so that the leap day is the last day of a year.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = shifted.quotient(by: 4) - shifted.quotient(by: 100) + shifted.quotient(by: 400)
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        // 146,097 days are 400 years.
        let (era, dayOfEra) = (shifted.quotient(by: 146_097), shifted.remainder(of: 146_097))
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Returns the quotient, rounded down.
    fileprivate func quotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }

    /// Returns the remainder, which is not negative.
    fileprivate func remainder(of divisor: Int64) -> Int64 { self - quotient(by: divisor) * divisor }
}
