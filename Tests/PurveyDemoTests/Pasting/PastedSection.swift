import Testing

/// A section of a document, and a test that pastes its blocks.
struct PastedSection: Sendable, CustomTestStringConvertible {
    let document: String
    let heading: String
    /// Pastes the blocks, and checks that they do what the text says.
    let paste: @Sendable (Reader) async throws -> Void

    var testDescription: String { "\(document): \(heading)" }

    init(_ document: String, _ heading: String, _ paste: @escaping @Sendable (Reader) async throws -> Void) {
        self.document = document
        self.heading = heading
        self.paste = paste
    }

    /// The sections whose blocks mount nothing.
    static let simple = [
        PastedSection("README.md", "An extension", makeThumbnail),
        PastedSection("Documentation/Programs.md", "A hand-off in Swift", greet),
        PastedSection("Documentation/Programs.md", "The demonstration", handOver),
        PastedSection("Documentation/Programs.md", "Files that several programs use", keepLog),
        PastedSection("Documentation/CommandLine.md", "A hand-off on the command line", offerAndCopy),
        PastedSection("Examples/FileAway/README.md", "File Away", fileAway),
        PastedSection("Examples/ThumbnailAction/README.md", "Thumbnail", makeThumbnailByExample),
    ]

    /// The sections whose blocks mount a file system.
    static let mounting = [
        PastedSection("README.md", "Try it", demonstrate),
        PastedSection("README.md", "A cloud as a folder", readAndEvict),
        PastedSection("Documentation/CommandLine.md", "A cloud as a folder", serveFolder),
        PastedSection("Examples/Mirror/README.md", "Mirror", mirror),
        PastedSection("Examples/NewNote/README.md", "New Note", writeNote),
    ]

    static let all = simple + mounting

    /// Whether this section's test pastes a block, or reads it as a sample of output.
    func has(_ block: MarkdownBlock) -> Bool {
        block.document == document && block.heading == heading && block.isForShell
    }
}

extension MarkdownBlock {
    /// Whether the block is for the shell, or shows a shell's output.
    var isForShell: Bool { language == "sh" || language.isEmpty }
}

/// A reader of a section, which takes its blocks one after the other.
final class Reader {
    private var blocks: ArraySlice<MarkdownBlock>

    init(_ section: PastedSection) throws {
        blocks = try MarkdownBlock.all(in: section.document).filter(section.has)[...]
    }

    /// Returns the next block, which must be for the shell.
    func command() throws -> MarkdownBlock { try next("sh") }

    /// Returns the next block, which must be a sample of output.
    func sample() throws -> String { try next("").text }

    /// Whether all blocks were taken.
    var isAtEnd: Bool { blocks.isEmpty }

    private func next(_ language: String) throws -> MarkdownBlock {
        let block = try #require(blocks.first)
        blocks.removeFirst()
        try #require(block.language == language, "\(block) is not for this")
        return block
    }
}
