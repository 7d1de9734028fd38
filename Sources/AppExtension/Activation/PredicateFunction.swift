import Foundation

/// A function that a predicate can call, as in `NSExpression`: `sum(…)`, or `sum:(…)`. An undefined result is
/// ``PredicateValue/nothing``.
enum PredicateFunction: String, Sendable, CaseIterable {
    // Functions of a list, or of the arguments.
    case sum, count, min, max, average, median
    // Functions of a number.
    case abs, floor, ceiling, trunc, sqrt, log, ln, exp
    // Functions of a text.
    case length, uppercase, lowercase
    // A function without arguments, which returns the seconds since 1970.
    case now
    // Functions of two numbers.
    case modulus = "modulus:by"
    case power = "raise:toPower"

    /// Creates the function that has the given name in rules; `nil` if there is none.
    init?(spelled name: String) {
        self.init(rawValue: name.hasSuffix(":") ? String(name.dropLast()) : name)
    }

    /// The allowed numbers of arguments.
    var counts: ClosedRange<Int> {
        switch self {
        case .sum, .count, .min, .max, .average, .median: 1...1000
        case .abs, .floor, .ceiling, .trunc, .sqrt, .log, .ln, .exp, .length, .uppercase, .lowercase: 1...1
        case .now: 0...0
        case .modulus, .power: 2...2
        }
    }

    /// Returns the function's result.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    func result(_ values: [PredicateValue], now: Double) -> PredicateValue {
        switch self {
        case .now: .number(now)
        case .sum, .count, .min, .max, .average, .median: ofList(values.flatMap(\.presentElements))
        case .length, .uppercase, .lowercase: if case .text(let text)? = values.first { ofText(text) } else { .nothing }
        case .abs, .floor, .ceiling, .trunc, .sqrt, .log, .ln, .exp, .modulus, .power: ofNumbers(values)
        }
    }

    /// Returns the result for a list. Elements other than numbers are ignored, except by `count`.
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
        // The length is the number of UTF-16 units, as with `NSString`.
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
