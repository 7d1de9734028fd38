/// The forms in which days are written.
///
/// | form | examples |
/// | --- | --- |
/// | ISO 8601 | `2024-03-05`, `2024/03/05`, `20240305T…` |
/// | numbers, day first | `5.3.2024`, `05.03.24`, `5-3-2024`, `25/12/2024` |
/// | numbers, in the order that the ``CalendarClock`` gives | `3/4/2024` |
/// | with a month's name | `5 March 2024`, `5th of March`, `5. März 2024`, `5 de marzo de 2024`, `March 5th, 2024` |
/// | relative | `today`, `tomorrow`, `next Friday`, `on Friday` |
///
/// A year of two digits is one from 1969 to 2068 (POSIX, `strptime`). A date without a year is in the clock's year.
struct DateForms {
    let tokens: Tokens
    let clock: CalendarClock

    typealias Found = (day: CalendarDay, end: Int)

    /// Reads the day that starts at a token. Looks ahead by nine tokens.
    func day(at start: Int) -> Found? {
        guard let first = tokens[start] else { return nil }
        // The day of the week is ignored, because the date determines it.
        if CalendarWords.weekday(first) != nil {
            var next = start + 1
            while let token = tokens[next], token.isSign(",") || token.isSign("."), next < start + 3 { next += 1 }
            if tokens[next]?.word == "the" || tokens[next]?.word == "den" { next += 1 }
            if let found = absolute(at: next) { return found }
        }
        return absolute(at: start) ?? relative(at: start)
    }

    /// Reads the last day of a span such as `5–7 March 2024`. The day immediately follows the dash, and has a month's
    /// name.
    func lastDay(at start: Int) -> Found? {
        tokens[start]?.kind == .number ? dayFirst(at: start) : nil
    }

    /// Returns the order of a numeric date that ends at a position: whether the month is first. Returns `nil` if both
    /// orders are possible, or if no such date exists.
    func order(before end: Int) -> Bool? {
        guard let (values, lengths, sign, _) = triple(at: end - 5), sign != ".", lengths[0] <= 2, lengths[1] <= 2 else {
            return nil
        }
        let isDayFirst = CalendarDay(year: 2000, month: values[1], day: values[0]) != nil
        let isMonthFirst = CalendarDay(year: 2000, month: values[0], day: values[1]) != nil
        return isDayFirst == isMonthFirst ? nil : isMonthFirst
    }

    /// Returns the numeric day that ends at a position; `nil` if there is none.
    func numericDay(before end: Int) -> CalendarDay? {
        guard let found = numeric(at: end - 5), found.end == end else { return nil }
        return found.day
    }

    /// Returns the same forms with the given order of month and day in numeric dates.
    func reading(isMonthFirst: Bool) -> DateForms {
        DateForms(
            tokens: tokens,
            clock: CalendarClock(now: clock.now, timeZone: clock.timeZone, isMonthFirst: isMonthFirst))
    }

    private func absolute(at start: Int) -> Found? {
        guard let first = tokens[start], !isPartOfMore(start) else { return nil }
        return first.kind == .number ? numeric(at: start) ?? dayFirst(at: start) : monthFirst(at: start)
    }

    private static let openings: Set<String> = ["(", "[", "\"", "'", ",", ":", ";", "=", "“", "„", "«"]

    private func isPartOfMore(_ start: Int) -> Bool {
        guard tokens.touchesPrevious(start), let before = tokens[start - 1] else { return false }
        return before.kind != .lineBreak
            && !Self.openings.contains(before.text)
    }

    // MARK: - Numbers only

    private func numeric(at start: Int) -> Found? {
        if let basic = basicISO(at: start) { return basic }
        guard let (values, lengths, sign, end) = triple(at: start) else { return nil }
        if let after = tokens[end], tokens.touchesPrevious(end) {
            // With a fourth part, it is an IP address or a version.
            if [".", "/", "-"].contains(after.text), let next = tokens[end + 1], after.touches(next),
                next.kind == .number
            {
                return nil
            }
            if after.kind == .word, after.text != "T" { return nil }
        }
        if lengths[0] == 4 {
            guard lengths[1] <= 2, lengths[2] <= 2 else { return nil }
            return CalendarDay(year: values[0], month: values[1], day: values[2]).map { ($0, end) }
        }
        guard lengths[0] <= 2, lengths[1] <= 2, lengths[2] == 4 || lengths[2] == 2 else { return nil }
        // A year of two digits counts only after slashes, or after points if both other numbers have two digits, too.
        // Otherwise the numbers may be a version or a paragraph.
        if lengths[2] == 2, sign == "-" || sign == "." && (lengths[0] < 2 || lengths[1] < 2) { return nil }
        let year = lengths[2] == 4 ? values[2] : values[2] + (values[2] < 69 ? 2000 : 1900)
        let dayFirst = CalendarDay(year: year, month: values[1], day: values[0])
        let monthFirst = CalendarDay(year: year, month: values[0], day: values[1])
        let day = sign == "." ? dayFirst : clock.isMonthFirst ? monthFirst ?? dayFirst : dayFirst ?? monthFirst
        return day.map { ($0, end) }
    }

    /// Reads three numbers with the same sign between them.
    private func triple(at start: Int) -> (values: [Int], lengths: [Int], sign: String, end: Int)? {
        guard let sign = tokens[start + 1], [".", "/", "-"].contains(sign.text) else { return nil }
        var values: [Int] = []
        for offset in 0..<5 {
            guard let token = tokens[start + offset], offset == 0 || tokens.touchesPrevious(start + offset) else {
                return nil
            }
            if offset.isMultiple(of: 2) {
                guard let value = token.value else { return nil }
                values.append(value)
            } else if token.text != sign.text {
                return nil
            }
        }
        let lengths = [0, 2, 4].compactMap { tokens[start + $0]?.digits }
        return (values, lengths, sign.text, start + 5)
    }

    /// Reads a day without separators, such as `20240305`, if a time follows.
    private func basicISO(at start: Int) -> Found? {
        guard let token = tokens[start], token.digits == 8, let value = token.value, tokens[start + 1]?.text == "T",
            tokens.touchesPrevious(start + 1),
            let day = CalendarDay(year: value / 10_000, month: value / 100 % 100, day: value % 100)
        else { return nil }
        return (day, start + 1)
    }

    // MARK: - With a month's name

    private func dayFirst(at start: Int) -> Found? {
        guard let first = tokens[start], first.digits <= 2, let day = first.value else { return nil }
        var next = start + 1
        if let ordinal = tokens[next], first.touches(ordinal),
            ordinal.isSign(".") || ["st", "nd", "rd", "th", "er", "º"].contains(ordinal.text.lowercased())
        {
            next += 1
        }
        if let word = tokens[next]?.word, word == "of" || word == "de" { next += 1 }
        guard let month = CalendarWords.month(tokens[next]) else { return nil }
        next += 1
        // A point after an abbreviated month belongs to the date only if a year follows.
        var afterYear = next
        while let token = tokens[afterYear], afterYear < next + 2,
            token.isSign(".") || token.isSign(",") || token.word == "de"
        {
            afterYear += 1
        }
        if let year = year(at: afterYear) {
            return CalendarDay(year: year, month: month, day: day).map { ($0, afterYear + 1) }
        }
        return CalendarDay(year: clock.year, month: month, day: day).map { ($0, next) }
    }

    private func monthFirst(at start: Int) -> Found? {
        guard let month = CalendarWords.month(tokens[start]) else { return nil }
        var next = start + 1
        if tokens[next]?.isSign(".") ?? false { next += 1 }
        guard let number = tokens[next], number.digits <= 2, let day = number.value, !tokens.touchesPrevious(next)
        else {
            return nil
        }
        next += 1
        if let ordinal = tokens[next], number.touches(ordinal) {
            if ["st", "nd", "rd", "th"].contains(ordinal.word) {
                next += 1
            } else if ordinal.kind == .word || ordinal.isSign(":") || ordinal.isSign("%") || ordinal.isSign("/") {
                // In `May 5:30`, `Mar 3rds` and `Sep 5/8`, the number is not a day.
                return nil
            }
        }
        let afterYear = tokens[next]?.isSign(",") ?? false ? next + 1 : next
        if let year = year(at: afterYear) {
            return CalendarDay(year: year, month: month, day: day).map { ($0, afterYear + 1) }
        }
        return CalendarDay(year: clock.year, month: month, day: day).map { ($0, next) }
    }

    /// Reads four digits that are a year and not a time such as 2024:15.
    private func year(at index: Int) -> Int? {
        guard let token = tokens[index], token.digits == 4, let year = token.value, (1000...2999).contains(year) else {
            return nil
        }
        if let after = tokens[index + 1], token.touches(after),
            after.kind == .word || after.isSign(":") || after.isSign("%")
        {
            return nil
        }
        return year
    }

    // MARK: - Relative

    private func relative(at start: Int) -> Found? {
        guard let first = tokens[start], !isPartOfMore(start) else { return nil }
        if let days = ["today": 0, "tonight": 0, "tomorrow": 1][first.word] {
            return clock.day(after: days).map { ($0, start + 1) }
        }
        guard ["next", "this", "on", "coming"].contains(first.word),
            let weekday = CalendarWords.weekday(tokens[start + 1])
        else {
            return nil
        }
        return clock.next(weekday: weekday).map { ($0, start + 2) }
    }
}
