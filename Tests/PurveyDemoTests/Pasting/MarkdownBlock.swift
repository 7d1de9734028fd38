import Foundation

/// A fenced block of a Markdown file.
struct MarkdownBlock: Sendable, Hashable, CustomStringConvertible {
    /// The file's path in the repository.
    let document: String
    /// The heading above the block.
    let heading: String
    /// The word after the fence, or an empty string.
    let language: String
    /// The block's lines, each with its line feed.
    let text: String
    /// The number of the block's first line.
    let line: Int

    var description: String { "\(document):\(line)" }

    /// Returns the blocks of a document, in their order.
    static func all(in document: String) throws -> [MarkdownBlock] {
        let lines = try String(contentsOfFile: Repository.path(document), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var blocks: [MarkdownBlock] = []
        var heading = ""
        var opening: (language: String, index: Int)?
        for (index, line) in lines.enumerated() {
            if let (language, begin) = opening {
                guard line == "```" else { continue }
                let text = lines[(begin + 1)..<index].map { $0 + "\n" }.joined()
                blocks.append(
                    MarkdownBlock(document: document, heading: heading, language: language, text: text, line: begin + 2)
                )
                opening = nil
            } else if line.hasPrefix("```") {
                opening = (String(line.dropFirst(3)), index)
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
        return blocks
    }

    /// The documents whose blocks are pasted: the README, those that it leads to, and those of the examples.
    static var documents: [String] {
        get throws {
            let examples = try FileManager.default.contentsOfDirectory(atPath: Repository.path("Examples"))
            let texts = ["CommandLine", "Extensions", "Programs"].map { "Documentation/\($0).md" }
            return ["README.md"] + texts
                + examples.sorted().map { "Examples/\($0)/README.md" }
                .filter { FileManager.default.fileExists(atPath: Repository.path($0)) }
        }
    }
}
