import Exchange
import Foundation
import Glibc
import LinuxSystem
import Testing
import UniformTypeIdentifiers

@Suite struct BundleTests {
    /// Makes a bundle whose executable is a copy of a small program.
    @discardableResult
    private func makeBundle(
        _ folder: String, _ list: [String: Any], executable: String? = "tool", contents: Bool = false
    ) throws -> String {
        let inside = contents ? folder + "/Contents" : folder
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: inside + "/Info.plist"))
        if let executable {
            try Data("\u{7F}ELF".utf8).write(to: URL(fileURLWithPath: inside + "/" + executable))
            chmod(inside + "/" + executable, 0o755)
        }
        return folder
    }

    private let good: [String: Any] = [
        "CFBundleIdentifier": "org.example.editor", "CFBundleExecutable": "tool", "PurveyTeamIdentifier": "ACME",
        "UTExportedTypeDeclarations": [["UTTypeIdentifier": "org.example.note", "UTTypeConformsTo": ["public.data"]]],
    ]

    @Test func aRegisteredBundleIsReadBackAtTheNextStart() throws {
        try withTemporaryFolder { folder in
            let records = folder + "/data/bundles"
            let registry = BundleRegistry(folder: records)
            let record = try registry.register(path: try makeBundle(folder + "/Editor.app", good))
            #expect(record.identifier == "org.example.editor")
            #expect(record.team == "ACME")
            #expect(record.executable.hasSuffix("/Editor.app/tool"))

            let again = BundleRegistry(folder: records) { Issue.record("\($0)") }
            #expect(again.all.map(\.identifier) == ["org.example.editor"])
            #expect(again.all.first?.team == "ACME")
            let list = try PropertyListSerialization.propertyList(
                from: Data(contentsOf: URL(fileURLWithPath: records + "/org.example.editor.plist")), format: nil)
            let exported = (list as? [String: Any])?["UTExportedTypeDeclarations"] as? [[String: Any]]
            #expect(exported?.first?["UTTypeIdentifier"] as? String == "org.example.note")

            try again.remove(identifier: "org.example.editor")
            #expect(try FileManager.default.contentsOfDirectory(atPath: records).isEmpty)
            #expect(BundleRegistry(folder: records).all.isEmpty)
        }
    }

    @Test func aTeamNeedsAProgramOfTheBundlesOwn() throws {
        try withTemporaryFolder { folder in
            let registry = BundleRegistry(folder: folder + "/records")
            let bundle = try makeBundle(folder + "/Editor.app", good)
            // With a link, any program could become part of the bundle.
            unlink(bundle + "/tool")
            symlink("/usr/bin/env", bundle + "/tool")
            #expect(BundleInspection(path: bundle).faults.contains { $0.contains("which is not in the bundle") })
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: bundle) }
            // Every script runs as a process of the interpreter.
            unlink(bundle + "/tool")
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: bundle + "/tool"))
            chmod(bundle + "/tool", 0o755)
            #expect(BundleInspection(path: bundle).faults.contains { $0.contains("is a script") })
            // Without a team, for its type declarations alone, the bundle is acceptable.
            var list = good
            list["PurveyTeamIdentifier"] = nil
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            try data.write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
            #expect(BundleInspection(path: bundle).faults.isEmpty)
        }
    }

    @Test func aBundleIsKnownByItsExecutableFileWhateverThePath() throws {
        try withTemporaryFolder { folder in
            let registry = BundleRegistry(folder: folder + "/records")
            let bundle = try makeBundle(folder + "/Editor.app", good, contents: true)
            try registry.register(path: bundle)
            link(bundle + "/Contents/tool", folder + "/other-name")
            let identity = try FileStatus.of(folder + "/other-name").identity
            #expect(registry.bundle(ofExecutable: identity)?.team == "ACME")
            // Another file in its place is another program.
            unlink(bundle + "/Contents/tool")
            try Data("#!/bin/true\n".utf8).write(to: URL(fileURLWithPath: bundle + "/Contents/tool"))
            #expect(registry.bundle(ofExecutable: identity) == nil)
        }
    }

    @Test func everyFaultIsNamedAtOnce() throws {
        try withTemporaryFolder { folder in
            let list: [String: Any] = [
                "CFBundleIdentifier": "../escape", "CFBundleExecutable": "../tool", "PurveyTeamIdentifier": "",
                "UTExportedTypeDeclarations": [["UTTypeDescription": "x"]], "UTImportedTypeDeclarations": "none",
            ]
            let inspection = BundleInspection(path: try makeBundle(folder + "/Bad.app", list, executable: nil))
            #expect(inspection.record == nil)
            #expect(inspection.faults.count == 5)
            for word in ["../escape", "../tool", "PurveyTeamIdentifier", "entry 1", "UTImportedTypeDeclarations"] {
                #expect(inspection.faults.contains { $0.contains(word) }, "\(word)")
            }
        }
    }

    @Test func aFaultyTypeDeclarationIsToldWhenTheBundleIsRegistered() throws {
        try withTemporaryFolder { folder in
            var list = good
            list["UTExportedTypeDeclarations"] = [
                ["UTTypeIdentifier": "o.huge", "UTTypeTagSpecification": ["public.filename-extension": "../x"]],
                ["UTTypeIdentifier": "o.tags", "UTTypeTagSpecification": ["png"]],
                ["UTTypeIdentifier": "o.mime", "UTTypeTagSpecification": ["public.mime-type": "nonsense"]],
                ["UTTypeIdentifier": "o.parent", "UTTypeConformsTo": ["public.data", ""]],
                ["UTTypeIdentifier": "o.good", "UTTypeConformsTo": "public.data"],
            ]
            let bundle = try makeBundle(folder + "/Odd.app", list)
            let inspection = BundleInspection(path: bundle)
            #expect(inspection.record == nil && inspection.faults.count == 4)
            for name in ["o.huge", "o.tags", "o.mime", "o.parent"] {
                #expect(inspection.faults.contains { $0.contains(name) }, "\(name)")
            }
            #expect(throws: ExchangeRefusalError.self) {
                try BundleRegistry(folder: folder + "/records").register(path: bundle)
            }
        }
    }

    @Test func aRefusalNamesSomeOfManyFaults() throws {
        try withTemporaryFolder { folder in
            var list = good
            list["UTExportedTypeDeclarations"] = (0..<900).map { ["UTTypeIdentifier": "bad name \($0)"] }
            let bundle = try makeBundle(folder + "/Odd.app", list)
            #expect(BundleInspection(path: bundle).faults.count == 900)
            let error = #expect(throws: ExchangeRefusalError.self) {
                try BundleRegistry(folder: folder + "/records").register(path: bundle)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("bad name 19") && !text.contains("bad name 20") && text.contains("and 880 more"))
        }
    }

    @Test func aRecordThatCouldNotBeReadBackIsNotWritten() throws {
        try withTemporaryFolder { folder in
            // In binary form the list is far smaller than its XML record, which escapes every such character with
            // five.
            var list = good
            list["UTImportedTypeDeclarations"] = [
                [
                    "UTTypeIdentifier": "org.example.large",
                    "UTTypeDescription": String(repeating: "&", count: BundleRecords.largestRecord / 4),
                ]
            ]
            let bundle = try makeBundle(folder + "/Large.app", list)
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            try data.write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
            try #require(data.count < BundleRecords.largestRecord)
            let inspection = BundleInspection(path: bundle)
            #expect(inspection.record == nil)
            #expect(inspection.faults.count == 1 && inspection.faults[0].contains("bytes to keep"))
        }
    }

    @Test func otherDirectoriesThanBundlesAreRefused() throws {
        try withTemporaryFolder { folder in
            let registry = BundleRegistry(folder: folder + "/records")
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: folder + "/nothing") }
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: folder) }
            mkfifo(folder + "/Info.plist", 0o600)
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: folder) }
            unlink(folder + "/Info.plist")
            try Data("not a list".utf8).write(to: URL(fileURLWithPath: folder + "/Info.plist"))
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: folder) }
            #expect(throws: ExchangeRefusalError.self) { try registry.remove(identifier: "../../x") }
        }
    }

    @Test func anExecutableBelongsToOneBundle() throws {
        try withTemporaryFolder { folder in
            let registry = BundleRegistry(folder: folder + "/records")
            try registry.register(path: try makeBundle(folder + "/A.app", good))
            var second = good
            second["CFBundleIdentifier"] = "org.example.other"
            second["PurveyTeamIdentifier"] = "EVIL"
            let other = try makeBundle(folder + "/B.app", second, executable: nil)
            link(folder + "/A.app/tool", other + "/tool")
            #expect(throws: ExchangeRefusalError.self) { try registry.register(path: other) }
        }
    }

    @Test func aDamagedRecordIsNamedAndNotUsed() throws {
        try withTemporaryFolder { folder in
            try Data("garbage".utf8).write(to: URL(fileURLWithPath: folder + "/a.b.plist"))
            var reports: [String] = []
            let registry = BundleRegistry(folder: folder) { reports.append($0) }
            #expect(registry.all.isEmpty)
            #expect(reports.count == 1)
        }
    }
}
