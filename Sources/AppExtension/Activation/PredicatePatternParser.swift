/// A parsed regular expression.
indirect enum PredicatePatternNode: Sendable {
    case scalar(PredicateScalars)
    case place(PredicatePattern.Place)
    case sequence([PredicatePatternNode])
    case choice([PredicatePatternNode])
    /// A repetition.
    ///
    /// - Parameter most: The maximum number of repetitions; `nil` if there is no maximum.
    case repetition(PredicatePatternNode, fewest: Int, most: Int?)
}

/// The set of characters that one element of a pattern matches.
struct PredicateScalars: Sendable, Equatable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false
    /// Further sets, for elements such as `\D` in brackets.
    var others: [PredicateScalars] = []

    func contains(_ scalar: Unicode.Scalar, ignoresCase: Bool) -> Bool {
        if includes(scalar) { return !isInverted }
        guard ignoresCase else { return isInverted }
        let cases = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
        let hasCase = cases.contains { text in
            text.unicodeScalars.count == 1 && text.unicodeScalars.first.map(includes) ?? false
        }
        return hasCase != isInverted
    }

    private func includes(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } || others.contains { $0.contains(scalar, ignoresCase: false) }
            || (isLetters && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
    }

    /// Whether the set includes all letters and digits of any script, in addition to the ranges.
    private var isLetters = false

    init(_ ranges: [ClosedRange<UInt32>] = [], isInverted: Bool = false) {
        self.ranges = ranges
        self.isInverted = isInverted
    }

    init(_ scalar: Unicode.Scalar) { self.init([scalar.value...scalar.value]) }

    var inverted: PredicateScalars {
        var scalars = self
        scalars.isInverted.toggle()
        return scalars
    }

    static let digit = PredicateScalars([0x30...0x39])
    static let space = PredicateScalars([
        0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ])
    static let word = {
        var scalars = PredicateScalars([0x5F...0x5F])
        scalars.isLetters = true
        return scalars
    }()
    /// The characters that a dot matches: all but line ends.
    static let any = PredicateScalars([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029], isInverted: true)
}

/// A recursive descent parser for regular expressions.
///
///     choice   = sequence ("|" sequence)*
///     sequence = (atom [("*" | "+" | "?" | "{" n ["," [m]] "}") ["?"]])*
///     atom     = "(" ["?:"] choice ")" | "[" … "]" | "." | "^" | "$" | "\" … | any other character
///
/// The pattern may begin with `(?i)`.
struct PredicatePatternParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0
    /// Whether the pattern begins with `(?i)`, so that case is ignored.
    private(set) var ignoresCase = false

    private static let deepest = 60
    /// The maximum number in braces.
    private static let most = 1000

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() throws(ActivationRule.RuleError) -> PredicatePatternNode {
        if scalars.starts(with: "(?i)".unicodeScalars) {
            ignoresCase = true
            index = 4
        }
        let node = try choice()
        guard current == nil else { throw fault("a bracket is closed that was not opened") }
        return node
    }

    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func fault(_ what: String) -> ActivationRule.RuleError {
        .init("in the pattern of MATCHES, at character \(index + 1): \(what)")
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        index += 1
        return true
    }

    private mutating func choice() throws(ActivationRule.RuleError) -> PredicatePatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw fault("it is nested too deeply") }
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence() throws(ActivationRule.RuleError) -> PredicatePatternNode {
        var nodes: [PredicatePatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" { nodes.append(try repeated(try atom())) }
        return .sequence(nodes)
    }

    private mutating func repeated(_ node: PredicatePatternNode) throws(ActivationRule.RuleError)
        -> PredicatePatternNode
    {
        let result: PredicatePatternNode
        if take("*") {
            result = .repetition(node, fewest: 0, most: nil)
        } else if take("+") {
            result = .repetition(node, fewest: 1, most: nil)
        } else if take("?") {
            result = .repetition(node, fewest: 0, most: 1)
        } else if take("{") {
            let fewest = try number()
            var most: Int? = fewest
            if take(",") { most = current == "}" ? nil : try number() }
            guard take("}") else { throw fault("\"}\" is expected") }
            guard most.map({ $0 >= fewest }) ?? true else { throw fault("the numbers are the wrong way round") }
            result = .repetition(node, fewest: fewest, most: most)
        } else {
            return node
        }
        // The mark of a lazy repetition is ignored, because laziness does not change whether the whole text matches.
        _ = take("?")
        guard let scalar = current, "*+?{".unicodeScalars.contains(scalar) else { return result }
        throw fault("\"\(scalar)\" cannot follow a repetition")
    }

    private mutating func number() throws(ActivationRule.RuleError) -> Int {
        var digits = ""
        while let scalar = current, PredicateScalars.digit.contains(scalar, ignoresCase: false), digits.count < 9 {
            digits.unicodeScalars.append(scalar)
            index += 1
        }
        guard let number = Int(digits), number <= Self.most else {
            throw fault("a number of at most \(Self.most) is expected")
        }
        return number
    }

    private mutating func atom() throws(ActivationRule.RuleError) -> PredicatePatternNode {
        guard let scalar = current else { throw fault("it ends too early") }
        switch scalar {
        case "(":
            index += 1
            if take("?"), !take(":") { throw fault("only \"(?:\" can follow \"(?\"") }
            let node = try choice()
            guard take(")") else { throw fault("\")\" is expected") }
            return node
        case "*", "+", "?", "{": throw fault("there is nothing to repeat before \"\(scalar)\"")
        case "[":
            index += 1
            return .scalar(try set())
        case "\\":
            index += 1
            if take("b") { return .place(.wordBoundary) }
            if take("B") { return .place(.noWordBoundary) }
            if take("A") { return .place(.start) }
            if take("z") || take("Z") { return .place(.end) }
            return .scalar(try escape())
        default: index += 1
        }
        return switch scalar {
        case ".": .scalar(.any)
        case "^": .place(.start)
        case "$": .place(.end)
        default: .scalar(PredicateScalars(scalar))
        }
    }

    /// Parses the rest of an escape after the backslash.
    private mutating func escape() throws(ActivationRule.RuleError) -> PredicateScalars {
        guard let scalar = current else { throw fault("nothing follows the backslash") }
        let known: PredicateScalars? =
            switch scalar {
            case "d": .digit
            case "D": .digit.inverted
            case "w": .word
            case "W": .word.inverted
            case "s": .space
            case "S": .space.inverted
            case "t": PredicateScalars("\t")
            case "n": PredicateScalars("\n")
            case "r": PredicateScalars("\r")
            case "f": PredicateScalars("\u{0C}")
            default: nil
            }
        if known == nil, scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
            throw fault("\"\\\(scalar)\" is not supported")
        }
        index += 1
        return known ?? PredicateScalars(scalar)
    }

    /// Parses a set in square brackets.
    private mutating func set() throws(ActivationRule.RuleError) -> PredicateScalars {
        var result = PredicateScalars()
        result.isInverted = take("^")
        var isFirst = true
        while true {
            guard let scalar = current else { throw fault("\"]\" is expected") }
            if scalar == "]", !isFirst { break }
            guard scalar != "[" else { throw fault("sets within sets are not supported; \"\\[\" is a bracket") }
            isFirst = false
            let low = try member()
            guard current == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                result.add(low)
                continue
            }
            index += 1
            let high = try member()
            guard let from = low.single, let to = high.single, from <= to else { throw fault("that is not a range") }
            result.ranges.append(from...to)
        }
        index += 1
        return result
    }

    private mutating func member() throws(ActivationRule.RuleError) -> PredicateScalars {
        if take("\\") { return try escape() }
        guard let scalar = current else { throw fault("\"]\" is expected") }
        index += 1
        return PredicateScalars(scalar)
    }
}

extension PredicateScalars {
    /// The character of the set, if the set has exactly one character.
    fileprivate var single: UInt32? {
        guard !isInverted, !isLetters, others.isEmpty, ranges.count == 1, let range = ranges.first, range.count == 1
        else {
            return nil
        }
        return range.lowerBound
    }

    fileprivate mutating func add(_ other: PredicateScalars) {
        if let single = other.single { ranges.append(single...single) } else { others.append(other) }
    }
}
