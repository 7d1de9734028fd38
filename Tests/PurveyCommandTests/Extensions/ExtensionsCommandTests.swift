import Foundation
import Glibc
import ProgramTesting
import Testing

@Suite struct ExtensionsCommandTests {
    private func write(_ list: [String: Any], _ place: CommandPlace) throws {
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
        try await CommandPlace.run { place in
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
        try await CommandPlace.run { place in
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
        try await CommandPlace.run { place in
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

    @Test func everyFaultOfAnExtensionIsPrintedOnALineOfItsOwn() async throws {
        try await CommandPlace.run { place in
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
