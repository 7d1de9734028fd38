import AppExtension
import Foundation
import Testing

@Suite struct ExtensionInformationTests {
    private func faults(_ change: (inout [String: Any]) -> Void) throws -> [String] {
        let folder = try ExtensionFolder(change)
        return ExtensionInformation.inspect(folder.path).faults.map(\.description)
    }

    @Test func aSoundBundleHasNoFaults() throws {
        let folder = try ExtensionFolder()
        let information = try ExtensionInformation(folder: folder.path)
        #expect(information.identifier == "com.example.peer")
        #expect(information.name == "Peer")
        #expect(information.point == "com.apple.ui-services")
        #expect(information.activationRule?.accepts([]) == true)
        #expect(!information.allowsNetwork)
    }

    @Test func everyFaultIsFound() throws {
        let found = try faults { information in
            information["CFBundleIdentifier"] = "com/example"
            information["CFBundleExecutable"] = "../other"
            information["NSExtension"] =
                [
                    "NSExtensionPrincipalClass": 7, "NSExtensionAttributes": ["NSExtensionActivationRule": "ANY"],
                ] as [String: Any]
        }
        #expect(found.count == 5)
        #expect(found[0].contains("CFBundleIdentifier"))
        #expect(found[1].contains("CFBundleExecutable"))
        #expect(found[2] == "NSExtension: NSExtensionPointIdentifier is missing")
        #expect(found[3] == "NSExtension: NSExtensionPrincipalClass is not a text")
        #expect(found[4].contains("NSExtensionActivationRule"))
    }

    @Test func aMissingExecutableAndAMissingDictionaryAreFaults() throws {
        #expect(
            try faults { $0["CFBundleExecutable"] = "nobody" }.first?.contains("missing, or may not be run") == true)
        #expect(try faults { $0["NSExtension"] = "text" } == ["NSExtension is missing, or not a dictionary"])
        #expect(
            try faults { $0["NSExtension"] = ["NSExtensionPointIdentifier": "p"] }
                == ["NSExtension: NSExtensionPrincipalClass is missing"])
    }

    @Test func aBrokenPropertyListIsAFault() throws {
        let folder = try ExtensionFolder()
        try Data("<plist><dict><key>".utf8).write(to: URL(fileURLWithPath: folder.path + "/Info.plist"))
        #expect(ExtensionInformation.inspect(folder.path).faults.count == 1)
        #expect(throws: ExtensionInformation.Fault.self) { try ExtensionInformation(folder: folder.path) }
        #expect(throws: ExtensionInformation.Fault.self) { try ExtensionInformation(folder: "/nonexistent") }
    }
}
