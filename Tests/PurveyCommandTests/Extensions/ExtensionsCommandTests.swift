import Foundation
import Glibc
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
