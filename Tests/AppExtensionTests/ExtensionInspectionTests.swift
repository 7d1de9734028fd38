import AppExtension
import Foundation
import Glibc
import Testing

@Suite struct ExtensionInspectionTests {
    private func faults(_ change: (inout [String: Any]) -> Void) throws -> [String] {
        let folder = try ExtensionFolder(change)
        let inspection = ExtensionInspection(path: folder.path)
        #expect((inspection.bundle == nil) == !inspection.faults.isEmpty)
        return inspection.faults
    }

    @Test func aSoundBundleHasNoFaults() throws {
        let folder = try ExtensionFolder()
        let bundle = try ExtensionBundle(ofExecutable: folder.path + "/ExtensionPeer")
        #expect(ExtensionInspection(path: folder.path).bundle == bundle)
        #expect(bundle.identifier == "com.example.peer")
        #expect(bundle.name == "Peer")
        #expect(bundle.point == "com.apple.ui-services")
        #expect(bundle.principalClass == "$(PRODUCT_MODULE_NAME).Principal")
        #expect(bundle.accepts([]))
        #expect(!bundle.usesNetwork && !bundle.showsWindows)
    }

    @Test func everyFaultIsFound() throws {
        let found = try faults { information in
            information["CFBundleIdentifier"] = "com/example"
            information["CFBundleExecutable"] = "../other"
            information["NSExtension"] =
                [
                    "NSExtensionPrincipalClass": 7, "NSExtensionAttributes": ["NSExtensionActivationRule": "ANY"],
                    ExtensionBundle.networkKey: "maybe", ExtensionBundle.timeKey: 0, ExtensionBundle.memoryKey: "much",
                ] as [String: Any]
        }
        #expect(found.count == 8)
        #expect(found[0].contains("CFBundleIdentifier"))
        #expect(found[1].contains("CFBundleExecutable"))
        #expect(found[2] == "NSExtensionPointIdentifier is missing")
        #expect(found[3] == "NSExtensionPrincipalClass is not a string with characters in it")
        #expect(found[4].contains("NSExtensionActivationRule"))
        #expect(found[5].contains(ExtensionBundle.networkKey))
        #expect(found[6].contains(ExtensionBundle.memoryKey))
        #expect(found[7].contains(ExtensionBundle.timeKey))
    }

    @Test func aMissingExecutableAndAMissingDictionaryAreFaults() throws {
        #expect(try faults { $0["CFBundleExecutable"] = "nobody" }.first?.contains("does not exist") == true)
        #expect(try faults { $0["CFBundleExecutable"] = "Info.plist" }.first?.contains("not an executable") == true)
        #expect(try faults { $0["NSExtension"] = "text" } == ["NSExtension is not a dictionary"])
        #expect(try faults { $0["NSExtension"] = nil } == ["NSExtension is missing: this is not an extension"])
        #expect(
            try faults { $0["NSExtension"] = ["NSExtensionPointIdentifier": "p"] }
                == ["NSExtensionPrincipalClass is missing"])
        #expect(
            try faults { information in
                var described = information["NSExtension"] as? [String: Any] ?? [:]
                described["NSExtensionAttributes"] = [1]
                information["NSExtension"] = described
            } == ["NSExtensionAttributes is not a dictionary"])
    }

    @Test func settingsAreTexts() throws {
        func inspection(_ settings: Any) throws -> ExtensionInspection {
            let folder = try ExtensionFolder { information in
                var described = information["NSExtension"] as? [String: Any] ?? [:]
                described[ExtensionBundle.settingsKey] = settings
                information["NSExtension"] = described
            }
            return ExtensionInspection(path: folder.path)
        }
        #expect(try inspection(["path": "a folder", "server": ""]).bundle?.domainSettings?.count == 2)
        #expect(try ExtensionInspection(path: ExtensionFolder().path).bundle?.domainSettings == nil)
        let optional = try inspection(["path": "a folder", "port?": "where it listens"]).bundle
        #expect(optional?.domainSettings == ["path": "a folder", "port": "where it listens"])
        #expect(optional?.optionalSettings == ["port"])
        #expect(try inspection(["path"]).faults == ["PurveyDomainSettings is not a dictionary of texts"])
        #expect(try inspection(["a=b": "c"]).faults.first?.contains("cannot be written as KEY=VALUE") == true)
    }

    @Test func aProviderSaysWhetherItTakesSymbolicLinks() throws {
        func inspection(_ value: Any?) throws -> ExtensionInspection {
            let folder = try ExtensionFolder { information in
                var described = information["NSExtension"] as? [String: Any] ?? [:]
                described[ExtensionBundle.linksKey] = value
                information["NSExtension"] = described
            }
            return ExtensionInspection(path: folder.path)
        }
        #expect(ExtensionBundle.linksKey == "PurveyImportsSymbolicLinks")
        #expect(try inspection(true).bundle?.importsSymbolicLinks == true)
        #expect(try inspection(false).bundle?.importsSymbolicLinks == false)
        let silent = try #require(try inspection(nil).bundle)
        #expect(silent.importsSymbolicLinks == nil)
        let wrong = try inspection("never")
        #expect(wrong.bundle == nil && wrong.faults == ["PurveyImportsSymbolicLinks is neither true nor false"])
    }

    @Test func aBrokenPropertyListIsAFault() throws {
        let folder = try ExtensionFolder()
        let path = folder.path + "/Info.plist"
        try Data("<plist><dict><key>".utf8).write(to: URL(fileURLWithPath: path))
        #expect(ExtensionInspection(path: folder.path).faults.count == 1)
        #expect(throws: ExtensionBundleError.self) { try ExtensionBundle(ofExecutable: folder.path + "/ExtensionPeer") }
        #expect(throws: ExtensionBundleError.self) { try ExtensionBundle(ofExecutable: "/nonexistent/x") }
        #expect(truncate(path, 5 << 20) == 0)
        #expect(ExtensionInspection(path: folder.path).faults.first?.contains("at most") == true)
        // Opening a pipe that has no writer as if it were a file would block.
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(ExtensionInspection(path: folder.path).faults.first?.contains("is not a file") == true)
    }

    @Test func aFolderWithAnotherEndingIsAFault() throws {
        let folder = try ExtensionFolder()
        let other = folder.path + "-old"
        try FileManager.default.moveItem(atPath: folder.path, toPath: other)
        defer { try? FileManager.default.removeItem(atPath: other) }
        #expect(ExtensionInspection(path: other).faults == ["the folder's name does not end in .appex"])
    }
}
