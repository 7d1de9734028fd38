import Foundation

/// A function that a predicate can call, as `NSExpression` has them: `sum(…)`, or `sum:(…)`. What has no result is nothing.
enum PredicateFunction: String, Sendable, CaseIterable {
    // Of a list, or of the values that are given.
    case sum, count, min, max, average, median
    // Of a number.
    case abs, floor, ceiling, trunc, sqrt, log, ln, exp
    // Of a text.
    case length, uppercase, lowercase
    // Of nothing: seconds since 1970.
    case now
    // Of two numbers.
    case modulus = "modulus:by"
    case power = "raise:toPower"

    /// By its name in a rule.
    init?(spelled name: String) {
        self.init(rawValue: name.hasSuffix(":") ? String(name.dropLast()) : name)
    }

    /// How many values it takes.
    var counts: ClosedRange<Int> {
        switch self {
        case .sum, .count, .min, .max, .average, .median: 1...1000
        case .abs, .floor, .ceiling, .trunc, .sqrt, .log, .ln, .exp, .length, .uppercase, .lowercase: 1...1
        case .now: 0...0
        case .modulus, .power: 2...2
        }
    }

    /// - Parameter now: seconds since 1970.
    func result(_ values: [PredicateValue], now: Double) -> PredicateValue {
        switch self {
        case .now: .number(now)
        case .sum, .count, .min, .max, .average, .median: ofList(values.flatMap(\.presentElements))
        case .length, .uppercase, .lowercase: if case .text(let text)? = values.first { ofText(text) } else { .nothing }
        case .abs, .floor, .ceiling, .trunc, .sqrt, .log, .ln, .exp, .modulus, .power: ofNumbers(values)
        }
    }

    /// What is no number in a list does not count, but where all that is there is counted.
    private func ofList(_ elements: [PredicateValue]) -> PredicateValue {
        let numbers = elements.compactMap { element in
            if case .number(let number) = element { number } else { nil as Double? }
        }
        let sum = numbers.reduce(0, +)
        switch self {
        case .count: return .number(Double(elements.count))
        case .sum: return .number(sum)
        case .min: return numbers.min().map { .number($0) } ?? .nothing
        case .max: return numbers.max().map { .number($0) } ?? .nothing
        case .average: return numbers.isEmpty ? .nothing : .number(sum / Double(numbers.count))
        case .median:
            guard !numbers.isEmpty else { return .nothing }
            let sorted = numbers.sorted()
            let middle = sorted.count / 2
            return .number(sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
        default: return .nothing
        }
    }

    private func ofText(_ text: String) -> PredicateValue {
        switch self {
        // As the strings of property lists count: in UTF-16.
        case .length: .number(Double(text.utf16.count))
        case .uppercase: .text(text.uppercased())
        case .lowercase: .text(text.lowercased())
        default: .nothing
        }
    }

    private func ofNumbers(_ values: [PredicateValue]) -> PredicateValue {
        guard case .number(let first)? = values.first else { return .nothing }
        var second = Double.nan
        if values.count > 1, case .number(let number) = values[1] { second = number }
        switch self {
        case .abs: return .number(Swift.abs(first))
        case .floor: return .number(first.rounded(.down))
        case .ceiling: return .number(first.rounded(.up))
        case .trunc: return .number(first.rounded(.towardZero))
        case .sqrt: return .number(first.squareRoot())
        case .log: return .number(Foundation.log10(first))
        case .ln: return .number(Foundation.log(first))
        case .exp: return .number(Foundation.exp(first))
        case .modulus: return .number(first.truncatingRemainder(dividingBy: second))
        case .power: return .number(Self.power(first, second))
        default: return .nothing
        }
    }

    static func power(_ base: Double, _ exponent: Double) -> Double { Foundation.pow(base, exponent) }
}
