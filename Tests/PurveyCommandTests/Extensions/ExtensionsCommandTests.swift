import Foundation
import Glibc
import ProgramTesting
import Testing

@Suite struct ExtensionsCommandTests {
    private func write(_ list: [String: Any], _ place: CommandFixture) throws {
        try FileManager.default.createDirectory(atPath: place.path("Filer.appex"), withIntermediateDirectories: true)
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: place.path("Filer.appex/Info.plist")))
    }

    private var propertyList: [String: Any] {
        [
            "CFBundleIdentifier": "org.example.filer", "CFBundleName": "Filer", "CFBundleExecutable": "filer",
            "UTExportedTypeDeclarations": [
                [
                    "UTTypeIdentifier": "org.example.filed", "UTTypeConformsTo": ["public.data"],
                    "UTTypeTagSpecification": ["public.filename-extension": ["filed"]],
                ] as [String: Any]
            ],
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.share-services", "NSExtensionPrincipalClass": "Filer",
            ],
        ]
    }

    @Test func anExtensionIsInstalledListedAndRemovedAndItsTypesAreKnown() async throws {
        try await CommandFixture.run { place in
            try write(propertyList, place)
            try place.write("#!/bin/sh\n", to: "Filer.appex/filer")
            chmod(place.path("Filer.appex/filer"), 0o755)
            #expect(try await place.purvey("extensions", "check", "Filer.appex").status == 0)
            let install = try await place.purvey("extensions", "install", "Filer.appex")
            #expect(install.text == "org.example.filer\n", "\(install.errors)")
            let list = try await place.purvey("extensions", "list", "--json")
            let all = try JSONSerialization.jsonObject(with: list.output) as? [[String: Any]]
            #expect(all?.count == 1 && all?.first?["identifier"] as? String == "org.example.filer")
            #expect(try await place.purvey("types", "--extension", "filed").text.contains("org.example.filed"))
            #expect(try await place.purvey("bundles").text.contains("org.example.filer"))
            #expect(try await place.purvey("extensions", "remove", "org.example.filer").status == 0)
            #expect(try await place.purvey("extensions", "list").text.isEmpty)
            #expect(try await place.purvey("extensions", "remove", "org.example.filer").status == 1)
        }
    }

    @Test func aContainerStaysUnlessItIsToBeRemovedToo() async throws {
        try await CommandFixture.run { place in
            try write(propertyList, place)
            try place.write("#!/bin/sh\n", to: "Filer.appex/filer")
            chmod(place.path("Filer.appex/filer"), 0o755)
            let container = place.home + "/data/containers/org.example.filer"
            try FileManager.default.createDirectory(atPath: container + "/Documents", withIntermediateDirectories: true)
            for isLast in [false, true] {
                #expect(try await place.purvey("extensions", "install", "Filer.appex").status == 0)
                let options = isLast ? ["--container"] : []
                let removal = try await place.purvey(["extensions", "remove", "org.example.filer"] + options)
                #expect(removal.status == 0)
                #expect(removal.errors.contains("its container stays: \(container)") == !isLast, "\(removal.errors)")
                #expect(FileManager.default.fileExists(atPath: container) == !isLast)
            }
            #expect(try await place.purvey("extensions", "list", "--container").status == 2)
        }
    }

    @Test func aClassIsPrintedWithItsModulesName() async throws {
        try await CommandFixture.run { place in
            var list = propertyList
            list["NSExtension"] = [
                "NSExtensionPointIdentifier": "com.apple.share-services",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).Filer",
            ]
            try write(list, place)
            try place.write("#!/bin/sh\n", to: "Filer.appex/filer")
            chmod(place.path("Filer.appex/filer"), 0o755)
            #expect(try await place.purvey("extensions", "install", "Filer.appex").status == 0)
            let printed = try await place.purvey("extensions", "list", "--json")
            let all = try JSONSerialization.jsonObject(with: printed.output) as? [[String: Any]]
            #expect(all?.first?["principalClass"] as? String == "filer.Filer")
        }
    }

    @Test func aLogIsPrintedAndFollowedAcrossItsFiles() async throws {
        try await CommandFixture.run { place in
            let folder = place.home + "/data/logs"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let log = URL(fileURLWithPath: folder + "/org.example.filer.log")
            try Data("two\n".utf8).write(to: log)
            try Data("one\n".utf8).write(to: URL(fileURLWithPath: log.path + ".1"))
            // The log of a removed extension is shown as well.
            #expect(try await place.purvey("extensions", "logs", "org.example.filer").text == "one\ntwo\n")
            let following = try RunningProgram(
                BuiltProgram.path("purvey"), ["extensions", "logs", "org.example.filer", "--follow"],
                environment: ["PURVEY_HOME": place.home], in: place.path(""))
            #expect(try await following.lines(2) == ["one", "two"])
            let file = try FileHandle(forWritingTo: log)
            try file.seekToEnd()
            try file.write(contentsOf: Data("three\n".utf8))
            #expect(try await following.lines(3).last == "three")
            #expect(rename(log.path, log.path + ".1") == 0)
            try Data("four\n".utf8).write(to: log)
            #expect(try await following.lines(4).last == "four")
            following.send(SIGINT)
            _ = try await following.end()
            let missing = try await place.purvey("extensions", "logs", "org.example.filed")
            #expect(missing.status == 1 && missing.errors.contains("no extension"), "\(missing.errors)")
            #expect(try await place.purvey("extensions", "list", "--follow").status == 2)
        }
    }

    @Test func aPointThatIsNoneIsAFaultThatTellsTheOthers() async throws {
        try await CommandFixture.run { place in
            var list = propertyList
            list["NSExtension"] = [
                "NSExtensionPointIdentifier": "com.apple.fileprovider-noui", "NSExtensionPrincipalClass": "Filer",
            ]
            try write(list, place)
            try place.write("#!/bin/sh\n", to: "Filer.appex/filer")
            chmod(place.path("Filer.appex/filer"), 0o755)
            let check = try await place.purvey("extensions", "check", "Filer.appex")
            #expect(check.status == 1)
            #expect(check.text.contains("com.apple.fileprovider-noui"))
            #expect(check.text.contains("com.apple.fileprovider-nonui"))
        }
    }

    @Test func anExtensionThatCannotBeInstalledIsNamedOnce() async throws {
        try await CommandFixture.run { place in
            let run = try await place.purvey("extensions", "install", "None.appex")
            #expect(run.status == 1 && run.output.isEmpty, "\(run)")
            #expect(
                run.errors == "purvey: extensions: None.appex cannot be installed: No such file or directory\n",
                "\(run)")
        }
    }

    @Test func everyFaultOfAnExtensionIsPrintedOnALineOfItsOwn() async throws {
        try await CommandFixture.run { place in
            try write(["NSExtension": ["NSExtensionPointIdentifier": "com.apple.share-services"]], place)
            let check = try await place.purvey("extensions", "check", "Filer.appex")
            #expect(check.status == 1)
            #expect(
                check.text == """
                    CFBundleIdentifier is missing
                    CFBundleExecutable is missing
                    NSExtensionPrincipalClass is missing

                    """)
            #expect(try await place.purvey("extensions", "install", "Filer.appex").status == 1)
            #expect(try await place.purvey("extensions", "list").text.isEmpty)
        }
    }
}
