import Foundation

/// The detector of dates. A time before or after the date, the end of a span of times or days, and a time zone belong
/// to the same event.
///
/// A time without a date is not an event. A date without a time is an event of a whole day. A span of times whose end
/// precedes its start ends on the next day. Looks ahead from every token by fewer than 64 tokens, the length of two
/// dates and two times.
///
/// Sources: ISO 8601, RFC 3339; ``DateForms``, ``TimeForms`` and ``TimeZoneForms`` list the forms.
package struct CalendarEventDetector {
    private let text: DetectionText
    private let clock: CalendarClock
    private let tokens: Tokens
    private let dates: DateForms
    private let times: TimeForms
    private let zones: TimeZoneForms

    package static func matches(in text: DetectionText, clock: CalendarClock) -> [DDMatchCalendarEvent] {
        let detector = CalendarEventDetector(text, clock)
        var matches: [DDMatchCalendarEvent] = []
        var index = 0
        while index < detector.tokens.all.count {
            if let (match, end) = detector.event(at: index) {
                matches.append(match)
                index = end
            } else {
                index += 1
            }
        }
        return matches
    }

    private init(_ text: DetectionText, _ clock: CalendarClock) {
        self.text = text
        self.clock = clock
        tokens = Tokens(text)
        dates = DateForms(tokens: tokens, clock: clock)
        times = TimeForms(tokens: tokens)
        zones = TimeZoneForms(tokens: tokens)
    }

    /// A time, or a span of times.
    private struct Hours {
        let start: TimeOfDay
        let end: TimeOfDay?
        let zone: TimeZone?
        let next: Int
    }

    private func event(at start: Int) -> (DDMatchCalendarEvent, end: Int)? {
        guard let first = tokens[start], first.kind == .word || first.kind == .number else { return nil }
        if let (day, end) = dates.day(at: start) { return make(start, day, end) }
        if let (first, second, end) = daysOfOneMonth(at: start) {
            return make(start, end, from: first, nil, to: second, nil, nil)
        }
        // The time comes first, as in "3 pm on 5 March".
        guard !isPartOfMore(start), let hours = hours(at: start) else { return nil }
        let next = skip(Self.beforeDays, at: hours.next)
        guard let (day, end) = dates.day(at: next) else { return nil }
        return make(start, end, from: day, hours.start, to: nil, hours.end, hours.zone)
    }

    private func make(_ start: Int, _ day: CalendarDay, _ end: Int) -> (DDMatchCalendarEvent, end: Int)? {
        let hours = hours(behind: end)
        let next = hours?.next ?? end
        // The end may be on another day.
        if hours?.end == nil, let dash = span(at: next),
            let (day, last, end) = days(from: day, before: end, toThatAt: dash)
        {
            let lastHours = self.hours(behind: end)
            if (lastHours == nil) == (hours == nil) {
                return make(
                    start, lastHours?.next ?? end, from: day, hours?.start, to: last, lastHours?.start,
                    hours?.zone ?? lastHours?.zone)
            }
        }
        return make(start, next, from: day, hours?.start, to: nil, hours?.end, hours?.zone)
    }

    /// Returns both days of a span. If the numbers of one day have only one possible order, the other day is read in
    /// that order, too.
    private func days(
        from first: CalendarDay, before end: Int, toThatAt start: Int
    ) -> (first: CalendarDay, last: CalendarDay, end: Int)? {
        if let isMonthFirst = dates.order(before: end) {
            return dates.reading(isMonthFirst: isMonthFirst).day(at: start).map { (first, $0.day, $0.end) }
        }
        guard let last = dates.day(at: start) else { return nil }
        let order = dates.order(before: last.end)
        let reread = order.flatMap { dates.reading(isMonthFirst: $0).numericDay(before: end) }
        return (reread ?? first, last.day, last.end)
    }

    private func make(
        _ start: Int, _ end: Int, from day: CalendarDay, _ time: TimeOfDay?, to lastDay: CalendarDay?,
        _ lastTime: TimeOfDay?, _ zone: TimeZone?
    ) -> (DDMatchCalendarEvent, end: Int)? {
        guard let from = tokens[start], let to = tokens[end - 1], let first = clock.date(day, time, in: zone) else {
            return nil
        }
        var last: Date?
        if lastDay != nil || lastTime != nil {
            last = clock.date(lastDay ?? day, lastTime, in: zone)
            if lastDay == nil, let end = last, end < first {
                last = clock.calendar(in: zone).date(byAdding: .day, value: 1, to: end)
            }
        }
        let string = text.string(from.range.lowerBound..<to.range.upperBound)
        return (DDMatchCalendarEvent(string, isAllDay: time == nil, start: first, end: last, timeZone: zone), end)
    }

    // MARK: - Times

    private func hours(behind end: Int) -> Hours? {
        if tokens[end]?.text == "T", tokens.touchesPrevious(end), tokens.touchesPrevious(end + 1) {
            return hours(at: end + 1, isISO: true)
        }
        let next = skip(Self.beforeTimes, at: skip(Self.betweenDayAndTime, at: end))
        return hours(at: next)
    }

    private func hours(at start: Int, isISO: Bool = false) -> Hours? {
        let written = (isISO ? times.basicISO(at: start) : nil) ?? times.time(at: start)
        guard let first = written ?? times.bareHour(at: start), !isPartOfMore(after: first.end) else { return nil }
        if written != nil, let (zone, end) = zones.zone(at: first.end, isISO: isISO) {
            return Hours(start: first.time, end: nil, zone: zone, next: end)
        }
        guard let dash = span(at: first.end), dates.day(at: dash) == nil, let last = times.time(at: dash),
            !isPartOfMore(after: last.end), written != nil || last.hasMeridiem
        else { return written.map { Hours(start: $0.time, end: nil, zone: nil, next: $0.end) } }
        let zone = zones.zone(at: last.end, isISO: false)
        let time = last.hasMeridiem && !first.hasMeridiem ? inHalf(of: last.time, first.time) : first.time
        return Hours(start: time, end: last.time, zone: zone?.zone, next: zone?.end ?? last.end)
    }

    /// Returns the start of a span in the half of the day that its end implies: afternoon for "3–4 pm", morning for
    /// "11–1 pm".
    private func inHalf(of last: TimeOfDay, _ first: TimeOfDay) -> TimeOfDay {
        guard (1...12).contains(first.hour) else { return first }
        let isAfternoon = last.hour >= 12 && (first.hour % 12, first.minute) <= (last.hour % 12, last.minute)
        return TimeOfDay(hour: first.hour, minute: first.minute, second: first.second, isAfternoon: isAfternoon)
            ?? first
    }

    private func isPartOfMore(_ start: Int) -> Bool {
        guard tokens.touchesPrevious(start), let before = tokens[start - 1] else { return false }
        return before.kind == .word || before.kind == .number
            || Self.partsOfMore.contains(before.text)
    }

    /// Whether the text continues directly after a time in a way that makes the time a part of something else, such as
    /// a percentage.
    private func isPartOfMore(after end: Int) -> Bool {
        guard let after = tokens[end], tokens.touchesPrevious(end) else { return false }
        if after.isSign("%") { return true }
        if after.isSign(":") { return tokens[end + 1].map { $0.kind == .number && after.touches($0) } ?? false }
        return after.kind == .number || after.kind == .word && after.text != "Z"
    }

    // MARK: - Spans

    private func span(at index: Int) -> Int? {
        guard let token = tokens[index] else { return nil }
        return Self.spans.contains(token.kind == .word ? token.word : token.text) ? index + 1 : nil
    }

    /// Reads a span such as `5–7 March 2024`.
    private func daysOfOneMonth(at start: Int) -> (CalendarDay, CalendarDay, end: Int)? {
        guard !isPartOfMore(start), let first = tokens[start], first.digits <= 2, let day = first.value,
            let dash = span(at: start + 1),
            let (last, end) = dates.lastDay(at: dash), day < last.day,
            let from = CalendarDay(year: last.year, month: last.month, day: day)
        else { return nil }
        return (from, last, end)
    }

    private func skip(_ words: Set<String>, at index: Int) -> Int {
        guard let token = tokens[index], words.contains(token.kind == .word ? token.word : token.text) else {
            return index
        }
        return index + 1
    }

    // MARK: - Words and signs

    private static let spans: Set<String> = [
        "-", "\u{2013}", "\u{2014}", "to", "until", "till", "bis", "au", "al", "through",
    ]
    private static let beforeDays: Set<String> = [",", "on", "am", "le", "of"]
    private static let betweenDayAndTime: Set<String> = [
        ",", "at", "um", "à", "alle", "@", "from", "von", "de", "ab", "|", "(", "-", "\u{2013}",
    ]
    private static let beforeTimes: Set<String> = ["at", "from", "um", "von", "las"]
    private static let partsOfMore: Set<String> = [".", ":", "/", "-", "+", "$", "€", "£"]
}
