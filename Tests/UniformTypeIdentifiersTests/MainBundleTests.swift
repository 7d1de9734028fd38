import Foundation
import Testing
import UniformTypeIdentifiers

/// A program whose `Info.plist` lies beside it declares types: shown with the command line, copied to a bundle.
@Suite struct MainBundleTests {
    @Test(arguments: ["", "Program.appex/", "Program.app/Contents/Linux/"])
    func aProgramDeclaresTheTypesOfItsPropertyList(place: String) throws {
        let built = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent().appendingPathComponent("purvey")
        try #require(FileManager.default.isExecutableFile(atPath: built.path), "purvey is not built beside the tests")
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent(place + "program")
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(contentsOf: built).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)

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
        let isNested = place.contains("Contents")
        let bundle = program.deletingLastPathComponent()
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: (isNested ? bundle.deletingLastPathComponent() : bundle).appendingPathComponent("Info.plist"))

        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["types", "--json", "--extension", "EXPROG"]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(answer?["identifier"] as? String == "com.example.program.document")
        #expect(answer?["description"] as? String == "example document")
        #expect((answer?["conformsTo"] as? [String])?.first == "public.json")
        #expect(answer?["preferredMIMEType"] as? String == "text/x-exp")
        #expect(answer?["isDeclared"] as? Bool == true)
    }
}
