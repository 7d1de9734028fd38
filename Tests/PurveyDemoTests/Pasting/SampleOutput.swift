import Foundation

/// Output as a document shows it. In a line, `…` stands for anything; a line of its own stands for any lines.
enum SampleOutput {
    /// Returns the parts of a sample, between lines that stand for any, that are not in a text in this order. Dates and
    /// lengths of time may be others than in the sample.
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

    /// Returns the lines that are not empty, with one form for dates, lengths of time and spaces.
    private static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n").map { line in
            // A terminal shows the last of what a program writes into one line; the sequence clears the rest of it.
            let writings = String(line).replacing("\u{1B}[K", with: "").split(separator: "\r")
            return String(writings.last ?? "").replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "DATE")
                .replacing(/[\d.]+ ms\b/, with: "TIME")
                .replacing(/\ +/, with: " ")
                .trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }
}
