import Foundation

/// A format of `os_log` and its arguments, converted to a format and arguments for `String(format:)`.
///
/// A specifier may have modifiers in braces, such as `%{public}@`. A value with the modifier `private` or `sensitive`
/// becomes `<private>`. All other values are shown, and further modifiers are ignored.
struct OSLogPrintfFormat {
    private(set) var text = ""
    private(set) var arguments: [any CVarArg] = []

    init(_ format: String, _ given: [any CVarArg]) {
        var rest = format[...]
        var next = given[...]
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...].dropFirst()
            let isPrivate = Self.removeModifiers(&rest)
            guard let end = rest.firstIndex(where: { !Self.optionsOfSpecifiers.contains($0) }) else {
                text += "%"
                break
            }
            let specifier = rest[...end]
            rest = rest[end...].dropFirst()
            // A width or precision of `*` is an argument, too. A literal percent sign has none.
            let count = specifier.last == "%" ? 0 : specifier.count { $0 == "*" } + 1
            if isPrivate {
                text += "<private>"
            } else {
                text += "%" + specifier
                arguments += next.prefix(count)
            }
            next = next.dropFirst(count)
        }
        text += rest
        arguments += next
    }

    /// The characters that may precede the conversion in a specifier: flags, width, precision and length.
    private static let optionsOfSpecifiers: Set<Character> = Set("0123456789 #+-'.*$hlLqztj")

    /// Removes the modifiers in braces at the start of a specifier. Returns whether the modifiers make the specifier's
    /// value private.
    private static func removeModifiers(_ specifier: inout Substring) -> Bool {
        guard specifier.first == "{", let end = specifier.firstIndex(of: "}") else { return false }
        let modifiers = specifier[..<end].dropFirst().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        specifier = specifier[end...].dropFirst()
        return modifiers.contains("private") || modifiers.contains("sensitive")
    }
}
