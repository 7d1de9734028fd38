/// One form of a command line's operands, such as `add PROVIDER NAME [KEY=VALUE…]`, parsed from the usage text.
struct UsageForm {
    /// An operand of the form.
    enum Operand: Equatable {
        /// A word that the user types unchanged.
        case literal(String)
        /// A value, represented by its placeholder.
        case value(String)
    }

    private var operands: [Operand] = []
    /// Whether the last operand may be repeated.
    private var repeatsLast = false

    /// Parses one line of the usage text. Leaves out the given options and their values.
    init(_ text: String, options: [CommandManual.Option]) {
        var words = text.split(whereSeparator: { $0 == " " || $0 == "[" || $0 == "]" })[...]
        // The brackets in `DOMAIN[:NAME]` do not separate words.
        if text.contains("[:") { words = text.split(separator: " ")[...] }
        while let word = words.popFirst() {
            let name = word.drop { $0 == "[" }
            if name.hasPrefix("-") {
                let spelling = name.prefix { $0 != "…" && $0 != "]" }
                if options.contains(where: { $0.spelling == spelling && $0.value != nil }) { words = words.dropFirst() }
            } else if name == "|" {
                // An alternative to the previous operand is not a further operand.
                if let next = words.first, !next.hasPrefix("-") { words = words.dropFirst() }
            } else if name.hasPrefix("<") || name.hasPrefix("OPTION") || name.hasPrefix("ARGUMENT") {
                continue
            } else {
                let placeholder = name.prefix { $0 != "…" && $0 != "[" && $0 != "]" }
                repeatsLast = name.contains("…")
                let isLiteral = placeholder.allSatisfy { $0.isLowercase || $0 == "-" }
                operands.append(isLiteral ? .literal(String(placeholder)) : .value(String(placeholder)))
            }
        }
    }

    /// Returns the operand that follows the given words. Returns `nil` if the form has no further operand, or if the
    /// words do not fit the form.
    func next(after words: [String]) -> Operand? {
        for (word, operand) in zip(words, operands) {
            if case .literal(let literal) = operand, literal != word { return nil }
        }
        if words.count < operands.count { return operands[words.count] }
        return repeatsLast ? operands.last : nil
    }
}
