import FileTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// The blocks of the README and of the examples' documents, pasted whole into terminals, each in a fresh home.
@Suite(.timeLimit(.minutes(10))) struct PastedBlockTests {
    @Test(arguments: PastedSection.simple) func theBlocksDoWhatTheTextSays(section: PastedSection) async throws {
        try await paste(section)
    }

    @Test(.enabled(if: canMount, "/dev/fuse cannot be opened"), arguments: PastedSection.mounting)
    func theBlocksThatMountDoWhatTheTextSays(section: PastedSection) async throws {
        try await paste(section)
    }

    /// Whether a file system can be mounted, or must be because no test may be skipped.
    private static let canMount = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

    private func paste(_ section: PastedSection) async throws {
        let reader = try Reader(section)
        try await section.paste(reader)
        #expect(reader.isAtEnd)
    }

    @Test func everyBlockForTheShellIsPasted() throws {
        for document in try MarkdownBlock.documents {
            // `text` is for diagrams, and for commands that ShownCommandTests reads.
            let blocks = try MarkdownBlock.all(in: document).filter { $0.language != "text" }
            for block in blocks where block.isForShell {
                #expect(PastedSection.all.count { $0.has(block) } == 1, "no test pastes \(block)")
            }
            // Other tests read the remaining blocks.
            #expect(blocks.allSatisfy { $0.isForShell || $0.language == "swift" })
        }
        for section in PastedSection.all {
            #expect(
                try MarkdownBlock.all(in: section.document).contains(where: section.has), "\(section.testDescription)")
        }
    }

    @Test func noBlockBuildsASecondTime() throws {
        for document in try MarkdownBlock.documents {
            for block in try MarkdownBlock.all(in: document) where block.language == "sh" {
                #expect(!block.text.contains(/\bswift (build|run|test)\b/), "\(block)")
                #expect(!block.text.contains(".build/release"), "\(block)")
            }
        }
    }
}
