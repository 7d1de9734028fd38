import Foundation
import Testing

/// The README's sections that mount a file system.
extension PastedSection {
    @Sendable static func demonstrate(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.shows("Ctrl-C")
            #expect(SampleOutput.missing(try reader.sample(), in: shown) == [], "\(shown)")
            try terminal.interrupt()
            try await terminal.finish()
        }
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            let table = try MarkdownBlock.all(in: "Documentation/Programs.md").first {
                $0.heading == "The demonstration" && $0.language.isEmpty
            }
            #expect(SampleOutput.missing(try #require(table).text, in: shown) == [], "\(shown)")
        }
    }

    @Sendable static func readAndEvict(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            for text in ["/Purvey/Papers\n", "Up before the fog lifts.\n"] {
                #expect(shown.contains(text), "\(shown)")
            }
            #expect(shown.contains(/dataless .*Plan\.txt\n/), "\(shown)")
            #expect(!home.isMounted("Purvey/Papers"))
            #expect(!home.has("Purvey/Papers/Plan.txt"))
        }
    }

    @Sendable static func serveFolder(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            // The mount point, its contents, and the output of the commands after that.
            for text in [
                "/Purvey/Papers\n", "Notes  Plan.txt\n", "Up before the fog lifts.\n",
                "/Purvey/Papers/Notes/Invoice.pdf\n",
            ] {
                #expect(shown.contains(text), "\(shown)")
            }
            let files = FileManager.default
            #expect(try files.contentsOfDirectory(atPath: home.home + "/Papers").count { $0.hasPrefix("Plan") } == 2)
            #expect(!home.isMounted("Purvey/Papers"))
            #expect(!home.has("Purvey/Papers/Plan.txt"))
            #expect(!home.has("Purvey Edits"))
        }
    }

    // MARK: The examples' documents

    @Sendable static func mirror(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let one = try await home.terminal()
            try one.paste(reader.command())
            let isMounted = await eventually { home.isMounted("Seen") }
            #expect(isMounted)
            let other = try await home.terminal()
            try other.paste(reader.command())
            let shown = try await other.finish()
            #expect(shown.contains(/\sbash\s/), "\(shown)")
            try one.interrupt()
            try await one.finish()
            #expect(!home.isMounted("Seen"))
        }
    }

    @Sendable static func writeNote(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            try await terminal.shows("org.purvey.example.new-note")
            try await terminal.shows("Name")
            try terminal.type("Fog\n")
            try await terminal.shows("Text")
            try terminal.type("It lifts.\n")
            try await terminal.finish()
            let isThere = await eventually { home.contents("Papers/Fog.txt") == Data("It lifts.\n".utf8) }
            #expect(isThere)
        }
    }
}
