import Foundation
import ProgramTesting
import Testing

/// The sections about items and extensions.
extension PastedSection {
    @Sendable static func greet(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let one = try await home.terminal()
            try one.paste(reader.command())
            try await one.shows("Offered. Press return to withdraw it.\n")
            let other = try await home.terminal()
            try other.paste(reader.command())
            let shown = try await other.finish()
            #expect(shown.contains(/Hello from process \d+!\n/), "\(shown)")
            try one.type("\n")
            try await one.finish()
        }
    }

    @Sendable static func handOver(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            #expect(SampleOutput.missing(try reader.sample(), in: shown) == [], "\(shown)")
            // The demonstration hands over every example file in every way.
            for text in [
                "public.png in place                 in place, Examples/Ridge.png",
                "Load handlers ran 0 times before the first load", "A thumbnail of 256 by 160 pixels",
                "Filed: About Purvey.txt, Ridge.jpeg",
            ] { #expect(shown.contains(text), "\(shown)") }
        }
    }

    @Sendable static func offerAndCopy(_ reader: Reader) async throws {
        let (png, jpeg) = (try example("Ridge.png"), try example("Ridge.jpeg"))
        try await FreshHome.run { home in
            let one = try await home.terminal()
            try one.paste(reader.command())
            try await one.shows(matching: /[0-9A-F-]{36}\n/)
            let other = try await home.terminal()
            try other.paste(reader.command())
            let shown = try await other.finish()
            #expect(shown.contains("Ridge"), "\(shown)")
            #expect(shown.contains("public.png"))
            #expect(shown.contains("copy\n"))
            #expect(shown.contains("\(jpeg.count)\n"))
            #expect(home.contents("Ridge.png") == png)
            try one.interrupt()
            try await one.finish()
        }
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            try await terminal.finish()
            #expect(home.contents("Pasted.jpeg") == jpeg)
            let archive = try RunningProgram("/usr/bin/unzip", ["-Z1", home.home + "/Notebook.zip"])
            let names = try await archive.end()
            #expect(names.status == 0, "\(names)")
            #expect(names.text.contains("Latest.md\n"), "\(names)")
        }
    }

    @Sendable static func makeThumbnail(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            #expect(shown.contains("org.purvey.example.thumbnail"), "\(shown)")
            #expect(home.contents("Ridge thumbnail.png")?.starts(with: pngSignature) == true, "\(shown)")
        }
    }

    @Sendable static func keepLog(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            try await terminal.shows("The fog has lifted.\n")
            // The pasted commands end with the second program. The first continues until it is killed, as the text
            // says.
            try await terminal.finish()
            #expect(home.contents("Log.txt") == Data("The fog has lifted.\n".utf8))
            try terminal.type("jobs\n")
            #expect(try await terminal.finish().contains("Running"))
            try terminal.type("kill %1\n")
            try await terminal.finish()
        }
    }

    // MARK: The examples' documents

    @Sendable static func makeThumbnailByExample(_ reader: Reader) async throws {
        try await makeThumbnail(reader)
    }

    @Sendable static func fileAway(_ reader: Reader) async throws {
        try await FreshHome.run { home in
            let terminal = try await home.terminal()
            try terminal.paste(reader.command())
            let shown = try await terminal.finish()
            #expect(shown.contains("Filed: README.md, Ridge.png"), "\(shown)")
            let documents = ".local/share/purvey/containers/org.purvey.example.file-away/Documents/"
            #expect(home.contents(documents + "Ridge.png") == (try example("Ridge.png")))
        }
    }

    private static let pngSignature = Data([0x89, 0x50, 0x4E, 0x47])

    static func example(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: Repository.path("Examples/" + name)))
    }
}
