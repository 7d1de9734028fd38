import Foundation
import Testing
import UniformTypeIdentifiers

/// A program whose `Info.plist` lies beside it declares types: shown with the command line, copied to a bundle.
@Suite struct MainBundleTests {
    @Test(arguments: ["", "Program.appex/", "Program.app/Contents/Linux/"])
    func aProgramDeclaresTheTypesOfItsPropertyList(place: String) throws {
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
        let data = try run(["types", "--json", "--extension", "EXPROG"], list, in: place).output
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(answer?["identifier"] as? String == "com.example.program.document")
        #expect(answer?["description"] as? String == "example document")
        #expect((answer?["conformsTo"] as? [String])?.first == "public.json")
        #expect(answer?["preferredMIMEType"] as? String == "text/x-exp")
        #expect(answer?["isDeclared"] as? Bool == true)
    }

    @Test func aProgramCanAskWhatIsWrongWithItsPropertyList() throws {
        let list: [String: Any] = [
            "CFBundleIdentifier": "com.example.program",
            "UTExportedTypeDeclarations": [
                ["UTTypeIdentifier": "com.example.faulty", "UTTypeTagSpecification": ["public.mime-type": "nonsense"]],
                ["UTTypeIdentifier": "com.example.good"],
            ],
        ]
        let (output, complaints) = try run(["types", "--type", "com.example.good"], list, in: "")
        #expect(String(decoding: output, as: UTF8.self).hasPrefix("com.example.good"))
        let text = String(decoding: complaints, as: UTF8.self)
        #expect(text.contains("/Info.plist: entry 1 of UTExportedTypeDeclarations"))
        #expect(text.contains("\"nonsense\" of com.example.faulty is not a MIME type"))
    }

    /// Runs a copy of the command line tool with a property list beside it.
    private func run(
        _ arguments: [String], _ list: [String: Any], in place: String
    ) throws -> (output: Data, complaints: Data) {
        let built = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent().appendingPathComponent("purvey")
        try #require(FileManager.default.isExecutableFile(atPath: built.path), "purvey is not built beside the tests")
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent(place + "program")
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
        // By another process: a program that this one has open for writing could not be run while any of its forks has it so.
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [built.path, program.path])
        copy.waitUntilExit()
        try #require(copy.terminationStatus == 0)

        let isNested = place.contains("Contents")
        let bundle = program.deletingLastPathComponent()
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: (isNested ? bundle.deletingLastPathComponent() : bundle).appendingPathComponent("Info.plist"))

        let process = Process()
        let output = Pipe()
        let complaints = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        // Both are far smaller than a pipe.
        process.waitUntilExit()
        return (
            try output.fileHandleForReading.readToEnd() ?? Data(),
            try complaints.fileHandleForReading.readToEnd() ?? Data()
        )
    }
}
