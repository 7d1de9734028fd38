import Foundation
import ProgramTesting
import Testing

/// Tests of `purvey types`, as COMMANDS.md describes it.
@Suite struct TypesCommandTests {
    private static let keys: Set<String> = [
        "identifier", "description", "conformsTo", "filenameExtensions", "mimeTypes", "preferredFilenameExtension",
        "preferredMIMEType", "isDynamic", "isDeclared", "isPublic",
    ]

    /// Runs a test with a directory of files to ask about.
    private func withFiles(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("types-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
        let write = { (name: String, text: String) in
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        try write("text.png", "only text")
        try write("document", "%PDF-1.7\n")
        try write("tab\tand \"quotes\".txt", "text")
        do {
            try await body(folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func aNameWithALineBreakStaysOnOneLine() async throws {
        try await withFiles { folder in
            let path = folder + "/two\nlines.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            let run = try await TypesRun.run(["types", path])
            #expect(run.status == 0)
            #expect(run.lines.count == 1)
            #expect(run.output.hasSuffix("lines.txt: public.plain-text (plain text document)\n"))
        }
    }

    @Test func aTagHasAJSONObjectOfAllKeys() async throws {
        let run = try await TypesRun.run(["types", "--json", "--extension", "PNG"])
        #expect(run.status == 0 && run.errors.isEmpty)
        let object = try #require(try run.objects().first ?? nil)
        #expect(Set(object.keys) == Self.keys)
        #expect(object["identifier"] as? String == "public.png")
        #expect(object["preferredFilenameExtension"] as? String == "png")
        #expect(object["preferredMIMEType"] as? String == "image/png")
        #expect(object["filenameExtensions"] as? [String] == ["png"])
        #expect((object["conformsTo"] as? [String])?.first == "public.image")
        #expect((object["conformsTo"] as? [String])?.contains("public.png") == false)
        #expect(object["isDynamic"] as? Bool == false)
        #expect(object["isDeclared"] as? Bool == true)
        #expect(object["isPublic"] as? Bool == true)
    }

    @Test func aMissingValueIsNull() async throws {
        let run = try await TypesRun.run(["types", "--json", "--type", "public.data", "--extension=nobody-knows-this"])
        let objects = try run.objects()
        #expect(objects.count == 2)
        #expect(objects[0]?["preferredFilenameExtension"] is NSNull)
        #expect(objects[1]?["isDynamic"] as? Bool == true)
        #expect(objects[1]?["description"] is NSNull)
        #expect(objects[1]?["preferredFilenameExtension"] as? String == "nobody-knows-this")
    }

    @Test func answersAboutTagsAndFilesAreReadable() async throws {
        try await withFiles { folder in
            let tags = try await TypesRun.run(["types", "--mime", "image/jpeg", "--type", "com.adobe.pdf"])
            #expect(tags.status == 0)
            #expect(tags.lines == ["public.jpeg (JPEG image)", "com.adobe.pdf (PDF document)"])
            let files = try await TypesRun.run(["types", folder + "/text.png", "--", folder + "/folder"])
            #expect(
                files.lines == [
                    "\(folder)/text.png: public.png (PNG image)", "\(folder)/folder: public.folder (folder)",
                ])
        }
    }

    @Test func aFilesNameCountsBeforeItsContent() async throws {
        try await withFiles { folder in
            let run = try await TypesRun.run(["types", "--json", folder + "/text.png", folder + "/document"])
            #expect(try run.objects().map { $0?["identifier"] as? String } == ["public.png", "com.adobe.pdf"])
        }
    }

    @Test func aFailureIsOneLineThatNamesItAndTheOthersAreAnswered() async throws {
        try await withFiles { folder in
            let files = try await TypesRun.run(["types", "--json", folder + "/none", folder + "/text.png"])
            #expect(files.status == 1)
            #expect(files.errors == "purvey: types: '\(folder)/none': No such file or directory\n")
            #expect(try files.objects().map { $0 != nil } == [false, true])
        }
        let tag = try await TypesRun.run(["types", "--mime", "nonsense"])
        #expect(tag.status == 1 && tag.output.isEmpty)
        #expect(tag.errors == "purvey: types: 'nonsense' is not a MIME type; it has to be like image/png\n")
        let identifier = try await TypesRun.run(["types", "--type", "no.such.type"])
        #expect(identifier.status == 1 && identifier.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ["types"], ["types", "--nonsense"], ["types", "--json=1", "x"], ["types", "--extension"],
        ["types", "--batch", "file"], ["types", "-x"], ["nonsense"], [],
    ])
    func wrongUsageIsOneLineWithAHintAndStatus2(arguments: [String]) async throws {
        let run = try await TypesRun.run(arguments)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("purvey: ") && run.errors.contains("--help"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["--help"], ["-h"], ["types", "--help"], ["types", "-h", "--json"]])
    func helpIsOnStandardOutput(arguments: [String]) async throws {
        let run = try await TypesRun.run(arguments)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.output.hasPrefix("usage: purvey "))
    }

    @Test func aBatchAnswersEveryKindInOrder() async throws {
        try await withFiles { folder in
            let questions: [(line: String, identifier: String?)] = [
                ("extension\tpng", "public.png"), ("extension\ta/b", nil), ("mime\timage/jpeg", "public.jpeg"),
                ("mime\tnonsense", nil), ("type\tPUBLIC.PNG", "public.png"), ("type\tno.such", nil),
                ("constant\tjpeg", "public.jpeg"), ("constant\tnonsense", nil), ("name\t/none/a.PDF", "com.adobe.pdf"),
                ("content\t\(folder)/text.png", "public.plain-text"), ("content\t\(folder)/none", nil),
                ("file\t\(folder)/text.png", "public.png"), ("file\t\(folder)/folder", "public.folder"),
                ("file\t\(folder)/tab\tand \"quotes\".txt", "public.plain-text"), ("file\t\(folder)/none", nil),
            ]
            let input = questions.map(\.line).joined(separator: "\n")
            for end in ["", "\n"] {
                let run = try await TypesRun.run(["types", "--batch"], input: input + end)
                #expect(run.status == 0 && run.errors.isEmpty)
                #expect(try run.objects().map { $0?["identifier"] as? String } == questions.map(\.identifier))
                #expect(run.lines[0].first == "{" && run.lines[1] == "null")
            }
        }
    }

    @Test func aBatchTellsOfSenselessLinesAtTheEnd() async throws {
        let run = try await TypesRun.run(
            ["types", "--batch"], input: "extension\tpng\nnonsense\tpng\n\nextension png\nextension\tgif\n")
        #expect(run.status == 1)
        #expect(try run.objects().map { $0 != nil } == [true, false, false, false, true])
        #expect(run.errors.hasPrefix("purvey: types: line 2: there is no kind 'nonsense'"))
        #expect(run.errors.hasSuffix("(and 2 more such lines)\n"))
    }

    @Test func tagsAreEscaped() async throws {
        let run = try await TypesRun.run(["types", "--batch"], input: "extension\ta\"b\\c\u{E9}\u{1F600}\n")
        let object = try #require(try run.objects().first ?? nil)
        #expect(object["preferredFilenameExtension"] as? String == "a\"b\\c\u{E9}\u{1F600}")
    }

    @Test func aBatchOfAHundredThousandLinesHasAsManyAnswers() async throws {
        let input = (0..<100_000).map { line in
            ["extension\tx\(line)", "mime\timage/png", "name\ta\(line).tex", "constant\tpdf"][line % 4]
        }
        .joined(separator: "\n")
        let run = try await TypesRun.run(["types", "--batch"], input: input)
        #expect(run.status == 0)
        #expect(run.output.utf8.count { $0 == UInt8(ascii: "\n") } == 100_000)
    }

    @Test func anEmptyBatchHasNoAnswers() async throws {
        let run = try await TypesRun.run(["types", "--batch"])
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
    }

    @Test func aBatchAnswersBeforeItsInputEnds() async throws {
        let program = try TypesRun.start(["types", "--batch"], input: .pipe)
        for (count, question) in ["extension\tpng\n", "type\tno.such\n"].enumerated() {
            try program.write(question)
            let answers = try await program.lines(count + 1)
            #expect(answers.count == count + 1)
        }
        program.closeInput()
        let run = try await program.end()
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("{") && run.text.hasSuffix("\nnull\n"))
    }

    @Test func aReaderThatGoesAwayEndsTheBatchQuietly() async throws {
        // Several requests are sent, as the first reply may still find the reader.
        let script = """
            while printf 'extension\\tpng\\n'; do sleep 0.01; done 2>/dev/null | "$purvey" types --batch | :
            exit "${PIPESTATUS[1]}"
            """
        let run = try await RunningProgram(
            "/bin/bash", ["-c", script], environment: ["purvey": try BuiltProgram.path("purvey")]
        ).end()
        #expect(run.status == 1)
        #expect(run.errors.isEmpty)
    }
}
