import Foundation

/// The forms of times of a day: `15:30`, `15:30:05`, `3:30 pm`, `3 p.m.`, `15.30 Uhr`, `15h30`, `noon`, `midnight`,
/// and after the `T` of ISO 8601 also `153005`.
struct TimeForms {
    let tokens: Tokens

    /// A time, and whether the text says which half of the day it is in.
    typealias Found = (time: TimeOfDay, end: Int, hasMeridiem: Bool)

    /// Reads the time that starts at a token. Looks ahead by nine tokens.
    func time(at start: Int) -> Found? {
        guard let first = tokens[start] else { return nil }
        if first.word == "noon" { return TimeOfDay(hour: 12).map { ($0, start + 1, false) } }
        if first.word == "midnight" { return TimeOfDay(hour: 0).map { ($0, start + 1, false) } }
        guard first.digits <= 2, let hour = first.value else { return nil }
        guard let (minute, second, end, isBare) = minutes(after: start) else { return nil }
        if let (isAfternoon, end) = meridiem(at: end) {
            return TimeOfDay(hour: hour, minute: minute, second: second, isAfternoon: isAfternoon).map {
                ($0, end, true)
            }
        }
        if tokens[end]?.word == "uhr" || tokens[end]?.word == "h" && isBare {
            return TimeOfDay(hour: hour, minute: minute, second: second).map { ($0, end + 1, false) }
        }
        guard !isBare, tokens[start + 1]?.isSign(".") != true else { return nil }
        return TimeOfDay(hour: hour, minute: minute, second: second).map { ($0, end, false) }
    }

    /// Reads the time of ISO 8601 without separators: `153005` or `1530`.
    func basicISO(at start: Int) -> Found? {
        guard let token = tokens[start], token.digits == 6 || token.digits == 4, let value = token.value else {
            return nil
        }
        let (hours, rest) = token.digits == 6 ? (value / 10_000, value) : (value / 100, value * 100)
        return TimeOfDay(hour: hours, minute: rest / 100 % 100, second: rest % 100).map { ($0, start + 1, false) }
    }

    /// Reads an hour that is a time only because of a following time with "am" or "pm", such as the 3 of "3–4 pm".
    func bareHour(at start: Int) -> Found? {
        guard let first = tokens[start], first.digits <= 2, let hour = first.value, (1...12).contains(hour) else {
            return nil
        }
        return TimeOfDay(hour: hour).map { ($0, start + 1, false) }
    }

    /// Reads a meridiem, `am` or `pm`.
    private func meridiem(at index: Int) -> (isAfternoon: Bool, end: Int)? {
        guard let token = tokens[index] else { return nil }
        if token.word == "am" || token.word == "pm" { return (token.word == "pm", index + 1) }
        guard token.word == "a" || token.word == "p", let point = tokens[index + 1], point.isSign("."),
            let m = tokens[index + 2], m.word == "m", token.touches(point), point.touches(m)
        else { return nil }
        let isClosed = tokens[index + 3].map { $0.isSign(".") && m.touches($0) } ?? false
        return (token.word == "p", index + (isClosed ? 4 : 3))
    }

    private func minutes(after start: Int) -> (minute: Int, second: Int, end: Int, isBare: Bool)? {
        guard let sign = tokens[start + 1], tokens.touchesPrevious(start + 1),
            [":", ".", "h"].contains(sign.text.lowercased()), let minute = two(at: start + 2)
        else { return (0, 0, start + 1, true) }
        guard let colon = tokens[start + 3], colon.isSign(":"), sign.isSign(":"), tokens.touchesPrevious(start + 3),
            let next = tokens[start + 4], next.kind == .number, tokens.touchesPrevious(start + 4)
        else { return (minute, 0, start + 3, false) }
        guard let second = two(at: start + 4) else { return nil }
        // Fractions of a second are skipped.
        if let point = tokens[start + 5], point.isSign(".") || point.isSign(","), tokens.touchesPrevious(start + 5),
            tokens[start + 6]?.kind == .number, tokens.touchesPrevious(start + 6)
        {
            return (minute, second, start + 7, false)
        }
        return (minute, second, start + 5, false)
    }

    private func two(at index: Int) -> Int? {
        guard let token = tokens[index], token.digits == 2, tokens.touchesPrevious(index) else { return nil }
        return token.value
    }
}

/// The forms of time zones: ISO 8601's `Z`, `+02:00` and `+0200`, `UTC+2`, and the usual abbreviations.
struct TimeZoneForms {
    let tokens: Tokens

    /// Reads the zone after a time. Looks ahead by five tokens.
    ///
    /// - Parameter isISO: whether a hyphen after the time is a minus sign. If `false`, the hyphen is the dash before
    ///   the end time of a span.
    func zone(at start: Int, isISO: Bool) -> (zone: TimeZone, end: Int)? {
        guard let first = tokens[start] else { return nil }
        if tokens.touchesPrevious(start) {
            if first.text == "Z" { return TimeZone(secondsFromGMT: 0).map { ($0, start + 1) } }
            return isISO || first.isSign("+") ? offset(at: start) : nil
        }
        guard let name = Self.names[first.text], let zone = TimeZone(identifier: name) else { return nil }
        if name == "GMT", tokens.touchesPrevious(start + 1), let found = offset(at: start + 1) { return found }
        return (zone, start + 1)
    }

    private func offset(at start: Int) -> (zone: TimeZone, end: Int)? {
        guard let sign = tokens[start], sign.isSign("+") || sign.isSign("-"), let number = tokens[start + 1],
            tokens.touchesPrevious(start + 1), let value = number.value
        else { return nil }
        var (hours, minutes, end) = (value, 0, start + 2)
        if number.digits == 4 {
            (hours, minutes) = (value / 100, value % 100)
        } else if let colon = tokens[end], colon.isSign(":"), tokens.touchesPrevious(end), let rest = tokens[end + 1],
            rest.digits == 2, tokens.touchesPrevious(end + 1), let value = rest.value
        {
            (minutes, end) = (value, end + 2)
        }
        guard number.digits <= 4, hours <= 14, minutes < 60 else { return nil }
        let seconds = (hours * 60 + minutes) * 60
        return TimeZone(secondsFromGMT: sign.isSign("-") ? -seconds : seconds).map { ($0, end) }
    }

    private static let names = [
        "UTC": "GMT", "GMT": "GMT", "Z": "GMT", "EST": "America/New_York", "EDT": "America/New_York",
        "ET": "America/New_York",
        "CST": "America/Chicago", "CDT": "America/Chicago", "CT": "America/Chicago", "MST": "America/Denver",
        "MDT": "America/Denver", "MT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
        "PT": "America/Los_Angeles", "BST": "Europe/London", "WET": "Europe/Lisbon", "CET": "Europe/Berlin",
        "CEST": "Europe/Berlin", "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin", "EET": "Europe/Athens",
        "EEST": "Europe/Athens", "MSK": "Europe/Moscow", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo",
        "KST": "Asia/Seoul",
        "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
        "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
    ]
}
