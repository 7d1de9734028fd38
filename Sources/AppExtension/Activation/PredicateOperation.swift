/// An arithmetic operation on two numbers. With any other operand, the result is ``PredicateValue/nothing``.
enum PredicateOperation: String, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
    case bitwiseAnd = "&"
    case bitwiseOr = "|"
    case bitwiseExclusiveOr = "^"
    case shiftLeft = "<<"
    case shiftRight = ">>"

    /// The precedence: of two adjacent operations, the one with the higher precedence is evaluated first; with equal
    /// precedence, the left one.
    var precedence: Int {
        switch self {
        case .bitwiseOr: 0
        case .bitwiseExclusiveOr: 1
        case .bitwiseAnd: 2
        case .shiftLeft, .shiftRight: 3
        case .add, .subtract: 4
        case .multiply, .divide: 5
        case .power: 6
        }
    }

    func result(_ left: PredicateValue, _ right: PredicateValue) -> PredicateValue {
        guard case .number(let left) = left, case .number(let right) = right else { return .nothing }
        switch self {
        case .add: return .number(left + right)
        case .subtract: return .number(left - right)
        case .multiply: return .number(left * right)
        case .divide: return .number(left / right)
        case .power: return .number(PredicateFunction.power(left, right))
        case .bitwiseAnd, .bitwiseOr, .bitwiseExclusiveOr, .shiftLeft, .shiftRight:
            guard let left = Int64(exactly: left), let right = Int64(exactly: right) else { return .nothing }
            return .number(Double(bits(left, right)))
        }
    }

    private func bits(_ left: Int64, _ right: Int64) -> Int64 {
        switch self {
        case .bitwiseAnd: left & right
        case .bitwiseOr: left | right
        case .bitwiseExclusiveOr: left ^ right
        case .shiftLeft: left << right
        case .shiftRight: left >> right
        case .add, .subtract, .multiply, .divide, .power: 0
        }
    }
}

/// A prefix operator.
enum PredicatePrefix: String, Sendable, CaseIterable {
    case minus = "-"
    case complement = "~"

    func result(_ value: PredicateValue) -> PredicateValue {
        guard case .number(let number) = value else { return .nothing }
        switch self {
        case .minus: return .number(-number)
        case .complement: return Int64(exactly: number).map { .number(Double(~$0)) } ?? .nothing
        }
    }
}
