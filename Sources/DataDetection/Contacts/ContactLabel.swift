/// The label before a phone number or an address: "Work: …", "Mobile …".
///
/// Looks back by 24 characters, within the line.
enum ContactLabel {
    private static let furthest = 24
    private static let labels: Set<String> = [
        "home", "work", "office", "business", "private", "mobile", "cell", "iphone", "main", "fax", "pager", "school",
        "other",
    ]

    static func before(_ position: Int, in text: DetectionText) -> String? {
        let line = text.run(before: position, limit: furthest) { !$0.isLineBreak }
        // A label is a word, then an optional second one such as "phone", then punctuation.
        let words = text.scalars[line].split { !$0.isLetter }.suffix(2).map { String(String.UnicodeScalarView($0)) }
        guard let end = text.scalars[line].lastIndex(where: \.isLetter) else { return nil }
        guard text.scalars[end + 1..<position].allSatisfy({ $0.isBlank || $0 == ":" || $0 == "(" || $0 == "." }) else {
            return nil
        }
        return words.last { labels.contains($0.lowercased()) }
    }
}
