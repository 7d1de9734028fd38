import Foundation

/// The reference for dates in a text.
package struct CalendarClock: Sendable {
    /// The present time. Relative days such as "tomorrow" are counted from it, and dates without a year are in its
    /// year.
    let now: Date
    /// The time zone of times for which the text names no time zone.
    let timeZone: TimeZone
    /// Whether 3/4/2024 is in March.
    let isMonthFirst: Bool

    package init(now: Date, timeZone: TimeZone, isMonthFirst: Bool) {
        self.now = now
        self.timeZone = timeZone
        self.isMonthFirst = isMonthFirst
    }

    /// The clock of this machine. The month comes first if this is the custom in the locale's region.
    package static var current: CalendarClock {
        let region = Locale.current.region?.identifier ?? ""
        return CalendarClock(
            now: Date(), timeZone: .current, isMonthFirst: ["US", "PH", "PR", "GU", "PW", "FM"].contains(region))
    }

    func calendar(in zone: TimeZone?) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone ?? timeZone
        return calendar
    }

    /// Returns the date at which the given time of the given day begins. Without a time, returns the first moment of
    /// the day.
    func date(_ day: CalendarDay, _ time: TimeOfDay?, in zone: TimeZone?) -> Date? {
        let components = DateComponents(
            year: day.year, month: day.month, day: day.day, hour: time?.hour ?? 0, minute: time?.minute ?? 0,
            second: time?.second ?? 0)
        return calendar(in: zone).date(from: components)
    }

    /// Returns the day that is the given number of days after today.
    func day(after days: Int) -> CalendarDay? {
        let calendar = calendar(in: nil)
        guard let date = calendar.date(byAdding: .day, value: days, to: now) else { return nil }
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        return CalendarDay(year: year, month: month, day: day)
    }

    /// Returns the first day after today that is the given day of the week; 1 is Sunday.
    func next(weekday: Int) -> CalendarDay? {
        let today = calendar(in: nil).component(.weekday, from: now)
        return day(after: (weekday - today + 6) % 7 + 1)
    }

    var year: Int { calendar(in: nil).component(.year, from: now) }
}

/// A day of the calendar.
struct CalendarDay: Equatable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// Creates a day; `nil` for a day that does not exist, such as February 30.
    init?(year: Int, month: Int, day: Int) {
        guard (1000...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        guard day <= length else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }
}

/// A time of a day.
struct TimeOfDay: Equatable, Sendable {
    var hour: Int
    var minute = 0
    var second = 0

    /// Creates a time; `nil` for a time that does not exist, such as 25:00.
    init?(hour: Int, minute: Int = 0, second: Int = 0) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
        self.hour = hour
        self.minute = minute
        self.second = min(second, 59)
    }

    /// Creates a time from the hour of a twelve-hour clock; `nil` for a time that does not exist.
    init?(hour: Int, minute: Int, second: Int, isAfternoon: Bool) {
        guard (1...12).contains(hour) else { return nil }
        self.init(hour: hour % 12 + (isAfternoon ? 12 : 0), minute: minute, second: second)
    }
}
