import Foundation
import UniformTypeIdentifiers

extension Section {
    /// Types: the registry, the freedesktop database against GIO, and the command line.
    static let types = Section(name: "types") { report in
        try TypesRegistry.measure(&report)
        try TypesGuessing.measure(&report)
        try TypesCommand.measure(&report)
    }
}

extension ChildRole {
    /// Prints the seconds of the first lookup in the registry, and then of the first in the MIME database.
    static let typesReady = ChildRole(name: "types-ready") { _ in
        let registry = Measure.seconds {
            Measure.keep(UTType(filenameExtension: "png")?.conforms(to: .image))
        }
        let database = Measure.seconds {
            Measure.keep(MIMEDatabase.shared?.guess(fileName: "a.tex", content: nil))
        }
        print(registry, database)
    }
}

/// The speed of the registry, and the duration until it is ready in a new process.
private enum TypesRegistry {
    static func measure(_ report: inout Report) throws {
        let starts = try (0..<11).map { _ in
            let words = try BenchmarkChild.output(of: .typesReady).split(whereSeparator: \.isWhitespace)
            return words.compactMap { Double($0) }
        }
        let ready = starts.compactMap(\.first)
        report.add("registry ready, fresh process", Measure.median(ready), .seconds, target: .atMost(5e-3))
        report.add("MIME database ready, fresh process", Measure.median(starts.compactMap(\.last)), .seconds)

        let types: [UTType] = [.jpeg, .png, .pdf, .swiftSource, .html, .zip, .mpeg4Movie, .mp3, .plainText, .folder]
        let supertypes: [UTType] = [.image, .data, .text, .archive, .item, .audiovisualContent, .directory]
        let rounds = 10_000
        var hits = 0
        let conformance = Measure.median {
            for _ in 0..<rounds {
                for type in types {
                    for supertype in supertypes where type.conforms(to: supertype) { hits &+= 1 }
                }
            }
        }
        report.add(
            "conformance check", conformance / Double(rounds * types.count * supertypes.count), .seconds,
            target: .atMost(50e-9))

        let extensions = ["jpg", "PNG", "pdf", "swift", "html", "tar.gz", "mp4", "mp3", "txt", "docx", "zip", "json"]
        let lookup = Measure.median {
            for _ in 0..<rounds {
                for name in extensions where UTType(filenameExtension: name) != nil { hits &+= 1 }
            }
        }
        Measure.keep(hits)
        report.add(
            "extension lookup", lookup / Double(rounds * extensions.count), .seconds, target: .atMost(300e-9))
    }
}

/// The program `purvey types --batch`, including its start.
private enum TypesCommand {
    private static let lineCount = 100_000

    static func measure(_ report: inout Report) throws {
        let program = try BenchmarkChild.sibling("purvey")
        guard FileManager.default.isExecutableFile(atPath: program) else {
            report.skip("purvey types --batch", because: "no program 'purvey' beside this one; build it first")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("purvey-types-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("lines").path
        try lines(files: try TypesTestList().paths).write(toFile: input, atomically: false, encoding: .utf8)
        var answered = 0
        let time = try Measure.median(rounds: 3) {
            answered = try BenchmarkChild.output(ofProgram: program, ["types", "--batch"], input: input).utf8.count {
                $0 == 10
            }
        }
        guard answered == lineCount else {
            report.fail("purvey types --batch", because: "\(answered) answers to \(lineCount) lines")
            return
        }
        report.add("purvey types --batch, 100,000 mixed lines", time, .seconds, target: .atMost(2))
    }

    /// Returns lines of all kinds, which alternate. A third of the tags are unknown.
    private static func lines(files: [String]) -> String {
        let extensions = ["png", "tex", "docx", "swift", "rs", "tar.gz", "blend"]
        let mimes = ["image/png", "text/x-tex", "application/x-blender", "video/mp4", "text/rust"]
        let constants = ["jpeg", "png", "plainText", "folder", "movie"]
        let identifiers = ["public.jpeg", "com.adobe.pdf", "public.data", "no.such.type"]
        return (0..<lineCount).map { line in
            let turn = line / 7
            let file = files[turn % files.count]
            switch line % 7 {
            case 0: return "extension\t" + (turn % 3 == 0 ? "x\(line)" : extensions[turn % extensions.count])
            case 1: return "mime\t" + (turn % 3 == 0 ? "application/x-\(line)" : mimes[turn % mimes.count])
            case 2: return "type\t" + identifiers[turn % identifiers.count]
            case 3: return "constant\t" + constants[turn % constants.count]
            case 4: return "name\tfile\(line)." + extensions[turn % extensions.count]
            case 5: return "content\t" + file
            default: return "file\t" + file
            }
        }
        .joined(separator: "\n") + "\n"
    }
}
