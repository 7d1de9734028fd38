/// A text of an alert: a string, or a dictionary with a format and the values for its placeholders.
struct InteractionText: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case text(String)
        /// A placeholder, with the index of its value in `values`.
        case value(Int)
    }

    private let parts: [Part]
    private let values: [PredicateFormula]

    private static let formatKey = "NSStringFormat"
    private static let valuesKey = "NSStringFormatValues"
    /// The maximum number of values, as on Apple's systems.
    private static let mostValues = 10
    /// The maximum lengths of a text and of one value in it, in bytes.
    private static let (longest, longestValue) = (4096, 255)

    init(_ stored: Any, _ localized: (String) -> String?) throws(ActivationRule.RuleError) {
        if let text = stored as? String {
            (parts, values) = ([.text(localized(text) ?? text)], [])
            return
        }
        guard let dictionary = stored as? [String: Any], let format = dictionary[Self.formatKey] as? String else {
            throw .init("it is neither a string nor a dictionary with \(Self.formatKey)")
        }
        guard let names = (dictionary[Self.valuesKey] ?? [String]()) as? [String], names.count <= Self.mostValues else {
            throw .init("\(Self.valuesKey) is not an array of up to \(Self.mostValues) strings")
        }
        var values: [PredicateFormula] = []
        for name in names { values.append(try PredicateFormula(name, .alertTexts)) }
        self.values = values
        parts = Self.parts(of: localized(format) ?? format)
    }

    /// Returns the text with the values inserted. A missing value is replaced by an empty string.
    func text(_ values: [String: PredicateValue]) -> String {
        let texts = self.values.map { Self.words(for: $0.value(values)) }
        let text = parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let index): texts.indices.contains(index) ? texts[index] : ""
            }
        }.joined()
        return Self.shortened(text, to: Self.longest)
    }

    /// Splits a format at its placeholders: `%@` and `%d` for the next value, `%2$@` for the second value, and `%%` for
    /// `%`.
    private static func parts(of format: String) -> [Part] {
        var parts: [Part] = []
        var text = ""
        var next = 0
        var rest = format[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                text.append(character)
                continue
            }
            if rest.first == "%" {
                text.append("%")
                rest.removeFirst()
                continue
            }
            var place = rest
            let digits = place.prefix { $0.isASCII && $0.isNumber }
            var index = next
            if !digits.isEmpty, place.dropFirst(digits.count).first == "$", let number = Int(digits), number > 0 {
                index = number - 1
                place = place.dropFirst(digits.count + 1)
            }
            place = place.drop { $0 == "l" || $0 == "q" }
            guard let kind = place.first, "@diu".contains(kind) else {
                text.append("%")
                continue
            }
            rest = place.dropFirst()
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
            parts.append(.value(index))
            next = index + 1
        }
        if !text.isEmpty { parts.append(.text(text)) }
        return parts
    }

    private static func words(for value: PredicateValue) -> String {
        switch value {
        case .text(let text): shortened(text, to: longestValue)
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .list(let elements): shortened(elements.map(words).joined(separator: ", "), to: longestValue)
        case .object, .nothing: ""
        }
    }

    private static func shortened(_ text: String, to size: Int) -> String {
        guard text.utf8.count > size else { return text }
        var short = text
        while short.utf8.count > size - 3 { short.removeLast() }
        return short + "…"
    }
}
