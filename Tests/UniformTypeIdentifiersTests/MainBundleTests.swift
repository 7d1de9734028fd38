import Foundation
import ProgramTesting
import Testing
import UniformTypeIdentifiers

/// A program that declares types in its `Info.plist`: a copy of the command line tool, beside the list or in a
/// bundle.
@Suite struct MainBundleTests {
    @Test(arguments: ["", "Program.appex/", "Program.app/Contents/Linux/"])
    func aProgramDeclaresTheTypesOfItsPropertyList(place: String) async throws {
        let list: [String: Any] = [
            "CFBundleIdentifier": "com.example.program",
            "UTExportedTypeDeclarations": [
                [
                    "UTTypeIdentifier": "com.example.program.document", "UTTypeConformsTo": "public.json",
                    "UTTypeDescription": "example document",
                    "UTTypeTagSpecification": [
                        "public.filename-extension": ["exprog"], "public.mime-type": "text/x-exp",
                    ],
                ] as [String: Any]
            ],
        ]
        let data = try await run(["types", "--json", "--extension", "EXPROG"], list, in: place).output
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(answer?["identifier"] as? String == "com.example.program.document")
        #expect(answer?["description"] as? String == "example document")
        #expect((answer?["conformsTo"] as? [String])?.first == "public.json")
        #expect(answer?["preferredMIMEType"] as? String == "text/x-exp")
        #expect(answer?["isDeclared"] as? Bool == true)
    }

    @Test func aProgramCanAskWhatIsWrongWithItsPropertyList() async throws {
        let list: [String: Any] = [
            "CFBundleIdentifier": "com.example.program",
            "UTExportedTypeDeclarations": [
                ["UTTypeIdentifier": "com.example.faulty", "UTTypeTagSpecification": ["public.mime-type": "nonsense"]],
                ["UTTypeIdentifier": "com.example.good"],
            ],
        ]
        let run = try await run(["types", "--type", "com.example.good"], list, in: "")
        #expect(run.text.hasPrefix("com.example.good"))
        #expect(run.errors.contains("/Info.plist: entry 1 of UTExportedTypeDeclarations"))
        #expect(run.errors.contains("\"nonsense\" of com.example.faulty is not a MIME type"))
    }

    /// Runs a copy of the command line tool with a property list beside it.
    private func run(
        _ arguments: [String], _ list: [String: Any], in place: String
    ) async throws -> ProgramRun {
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent(place + "program")
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Another process copies the program. If this one did, a fork might inherit the copy's descriptor open for
        // writing, and executing the copy would fail.
        let copy = try await RunningProgram("/bin/cp", [try BuiltProgram.path("purvey"), program.path]).end()
        try #require(copy.status == 0)

        let isNested = place.contains("Contents")
        let bundle = program.deletingLastPathComponent()
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: (isNested ? bundle.deletingLastPathComponent() : bundle).appendingPathComponent("Info.plist"))

        return try await RunningProgram(program.path, arguments).end()
    }
}
