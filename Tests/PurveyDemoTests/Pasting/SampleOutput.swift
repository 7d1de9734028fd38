import Foundation

/// Output as a document shows it. Within a line, `…` stands for any text; alone on a line, it stands for any lines.
enum SampleOutput {
    /// Returns the parts of a sample, separated by lines of `…`, that a text does not contain in this order. Dates
    /// and durations may differ from the sample.
    static func missing(_ sample: String, in text: String) -> [String] {
        var rest = lines(of: text)[...]
        return lines(of: sample).split(separator: "…").filter { part in
            let patterns = part.map { $0.components(separatedBy: "…") }
            let starts = rest.indices.dropLast(max(patterns.count - 1, 0))
            let start = starts.first { start in zip(rest[start...], patterns).allSatisfy(has) }
            if let start { rest = rest[(start + patterns.count)...] }
            return start == nil
        }.map { $0.joined(separator: "\n") }
    }

    /// Whether a line consists of these pieces, with anything between them.
    private static func has(_ line: String, _ pieces: [String]) -> Bool {
        guard let first = pieces.first, let last = pieces.last, line.hasPrefix(first) else { return false }
        guard pieces.count > 1 else { return line == first }
        var rest = line.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// Returns the non-empty lines, with one form for dates, durations and spaces.
    private static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n").map { line in
            // A terminal shows the last text that a program writes to a line; the sequence clears the rest of the
            // line.
            let writings = String(line).replacing("\u{1B}[K", with: "").split(separator: "\r")
            return String(writings.last ?? "").replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "DATE")
                .replacing(/[\d.]+ ms\b/, with: "TIME")
                .replacing(/\ +/, with: " ")
                .trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }
}
