/// The rules that decide which runs of digits are phone numbers. A number has one of these forms:
///
/// - International (E.164): a plus sign, or `00`, the international prefix of many countries; then 8 to 15 digits, the
///   first of them not 0.
/// - North American (North American Numbering Plan): groups of 3, 3 and 4 digits, with or without a 1 before them. The
///   first group, the area code, is at least 200. If a separator is missing or a space, the second group must be at
///   least 200, too, unless the area code is in brackets. A number without an area code has the form `555-1234`.
/// - With a trunk prefix, as in most other countries: 9 to 12 digits, the first of them 0. If the digits are grouped,
///   the first group has 2 to 6 digits. Otherwise, there are 10 or 11 digits.
/// - After a word such as "tel": 7 to 15 digits in any groups.
///
/// Dates have none of these forms, nor do most serial numbers and most numbers that group their digits by threes.
enum PhoneNumberForm {
    static func isNumber(_ run: PhoneNumberRun, isAnnounced: Bool) -> Bool {
        guard run.isBalanced, !run.groups.isEmpty else { return false }
        let digits = run.groups.joined()
        let count = digits.utf8.count
        guard Set(digits).count > 1, count <= 17 else { return false }
        if run.isInternational { return (8...15).contains(count) && !digits.hasPrefix("0") }
        if run.separators.contains(where: { $0 == " / " }) || isDate(run) { return false }
        if digits.hasPrefix("00") { return (10...17).contains(count) && !digits.hasPrefix("000") }
        if isAnnounced, (7...15).contains(count) { return true }
        return isNorthAmerican(run, digits) || isWithTrunkPrefix(run, digits)
    }

    private static func isNorthAmerican(_ run: PhoneNumberRun, _ digits: String) -> Bool {
        var lengths = run.groups.map(\.utf8.count)
        var number = digits[...]
        if lengths.first == 1, digits.hasPrefix("1"), lengths.count > 1 {
            lengths.removeFirst()
            number = number.dropFirst()
        } else if lengths == [11], digits.hasPrefix("1") {
            lengths = [10]
            number = number.dropFirst()
        }
        guard let first = number.first, first >= "2" else { return false }
        switch lengths {
        case [3, 3, 4]:
            // Three groups separated by spaces may also be a number of ten digits.
            return run.hasAreaInBrackets || isExchange(number) || run.separators.allSatisfy { $0 != " " }
        case [3, 7]: return run.hasAreaInBrackets
        case [10]: return isExchange(number)
        case [3, 4]: return run.separators == ["-"] && !run.hasAreaInBrackets && run.groups.count == 2
        default: return false
        }
    }

    private static func isExchange(_ number: Substring) -> Bool { number.dropFirst(3).first.map { $0 >= "2" } ?? false }

    private static func isWithTrunkPrefix(_ run: PhoneNumberRun, _ digits: String) -> Bool {
        guard digits.hasPrefix("0"), let first = run.groups.first?.utf8.count else { return false }
        let count = digits.utf8.count
        guard run.groups.count > 1 else { return (10...11).contains(count) }
        // 012-34-5678 is the form of social security numbers.
        guard run.groups.map(\.utf8.count) != [3, 2, 4] else { return false }
        return (9...12).contains(count) && (2...6).contains(first)
    }

    /// Whether the run begins with a date, such as 24.12.2024 or 2024-12-24.
    private static func isDate(_ run: PhoneNumberRun) -> Bool {
        guard run.groups.count >= 3, !run.hasAreaInBrackets, run.separators[0] == run.separators[1],
            ["/", ".", "-"].contains(run.separators[0])
        else { return false }
        let values = run.groups.prefix(3).map { Int($0) ?? .max }
        let lengths = run.groups.prefix(3).map(\.utf8.count)
        let years = 1900...2199
        if lengths[2] == 4, lengths[0] <= 2, lengths[1] <= 2 {
            return years.contains(values[2]) && values[0] <= 31 && values[1] <= 31
        }
        return lengths[0] == 4 && years.contains(values[0]) && values[1] <= 12 && values[2] <= 31
    }
}
