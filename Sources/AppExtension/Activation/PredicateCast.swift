import Foundation

/// A conversion of a value by `CAST`: `CAST(value, "NSNumber")`. An impossible conversion results in
/// ``PredicateValue/nothing``.
///
/// As on Apple's platforms, a date converts to a number of seconds since the beginning of 2001, and back. Dates are
/// represented as numbers. ``PredicateExpression/isDate`` recognizes a date by the expression that yields it. A number
/// under a key that the provider defines is never treated as a date.
enum PredicateCast: Sendable, Equatable {
    case number
    case text
    case date

    /// Creates the conversion for a class name.
    init?(spelled name: String) {
        switch name {
        case "NSNumber", "NSDecimalNumber": self = .number
        case "NSString": self = .text
        case "NSDate": self = .date
        default: return nil
        }
    }

    /// The number of seconds from the beginning of 1970 to the beginning of 2001. Dates in predicates count from 1970.
    private static let reference = Date.timeIntervalBetween1970AndReferenceDate

    /// Converts a value.
    ///
    /// - Parameter isDate: Whether a number is a date, in seconds since 1970.
    func result(_ value: PredicateValue, isDate: Bool) -> PredicateValue {
        switch (self, value) {
        case (.number, .number(let number)): .number(isDate ? number - Self.reference : number)
        case (.number, .text(let text)):
            Double(text.trimmingCharacters(in: .whitespaces)).map { .number($0) } ?? .nothing
        case (.text, .text): value
        case (.text, .number(let number)): .text(isDate ? Self.words(ofDate: number) : Self.words(of: number))
        case (.date, .number(let number)): .number(isDate ? number : number + Self.reference)
        case (.date, .text), (_, .list), (_, .object), (_, .nothing): .nothing
        }
    }

    private static func words(of number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// Returns the description of an `NSDate`: `2026-11-22 03:02:27 +0000`.
    private static func words(ofDate seconds: Double) -> String { Date(timeIntervalSince1970: seconds).description }
}

extension PredicateExpression {
    /// Whether the number that this expression yields is a date, in seconds since 1970.
    var isDate: Bool {
        switch self {
        case .member(let owner, let name): ProviderItemProperty.dates.contains(name) && !owner.isOfProvidersOwn
        case .element(let list, _): list.isDate
        case .call(.now, _): true
        case .call(.min, let values), .call(.max, let values): values.allSatisfy(\.isDate)
        case .choice(_, let first, let second): first.isDate && second.isDate
        case .cast(_, let type): type == .date
        case .number, .text, .null, .list, .variable, .name, .count, .subquery, .prefixed, .operations, .call: false
        }
    }

    /// Whether the value is stored under a key that the provider defines.
    private var isOfProvidersOwn: Bool {
        switch self {
        case .name(let name): name == ProviderItemProperty.domainUserInfo
        case .member(let owner, let name): name == ProviderItemProperty.userInfo.rawValue || owner.isOfProvidersOwn
        case .element(let list, _): list.isOfProvidersOwn
        default: false
        }
    }
}
