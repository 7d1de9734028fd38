import AppExtension
import ExtensionHost
import Foundation
import Testing

@Suite struct LibraryTests {
    @Test func anExtensionIsInstalledFoundReplacedAndRemoved() throws {
        try ExtensionFixture.run { place in
            try place.write()
            let installed = try place.library.install(path: place.appex)
            #expect(installed.path == place.data + "/extensions/org.example.unruly.appex")
            #expect(installed.timeLimit == 600 && installed.memoryLimit == 128 << 20 && !installed.usesNetwork)
            #expect(try place.library.find("Unruly") == installed)
            try place.library.install(path: place.appex, link: true)
            #expect(try place.library.find("org.example.unruly").path == place.appex)
            try place.library.remove(identifier: "org.example.unruly")
            #expect(place.library.all.isEmpty)
            // Removing the link does not remove its target.
            #expect(FileManager.default.fileExists(atPath: place.appex + "/Info.plist"))
            let names = try FileManager.default.contentsOfDirectory(atPath: place.data + "/extensions")
            #expect(names.isEmpty)
        }
    }

    @Test func anExtensionThatComesWithPurveyIsFoundUnlessAnotherStandsInItsPlace() throws {
        try ExtensionFixture.run { place in
            try place.write()
            let shipped = (place.appex as NSString).deletingLastPathComponent
            let library = ExtensionLibrary(data: place.data, shipped: shipped)
            #expect(try library.find("org.example.unruly").path == place.appex)
            #expect(library.faults.isEmpty)
            let installed = try library.install(path: place.appex)
            #expect(library.all == [installed])
            #expect(installed.path == place.data + "/extensions/org.example.unruly.appex")
            try library.remove(identifier: "org.example.unruly")
            #expect(try library.find("org.example.unruly").path == place.appex)
        }
    }

    @Test func aBrokenPropertyListIsRefusedAndNamed() throws {
        try ExtensionFixture.run { place in
            try place.write()
            try Data("<plist><dict>".utf8).write(to: URL(fileURLWithPath: place.appex + "/Info.plist"))
            let faults = ExtensionInspection(path: place.appex).faults
            #expect(faults == ["\(place.appex)/Info.plist is not a property list with a dictionary at its root"])
            #expect(throws: ExtensionLibrary.LibraryError.self) { try place.library.install(path: place.appex) }
            #expect(place.library.all.isEmpty)
        }
    }

    @Test func aPropertyListWithoutPrincipalClassIsRefusedWithAllItsOtherFaults() throws {
        try ExtensionFixture.run { place in
            try place.write([
                "CFBundleIdentifier": "../escape", "CFBundleExecutable": "missing",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.share-services",
                    "NSExtensionAttributes": ["NSExtensionActivationRule": ["x"]], ExtensionBundle.memoryKey: 1,
                ] as [String: Any],
            ])
            let faults = ExtensionInspection(path: place.appex).faults
            #expect(faults.count == 5)
            #expect(faults.contains("NSExtensionPrincipalClass is missing"))
            #expect(faults.contains("NSExtensionActivationRule: it is neither a dictionary nor a predicate"))
        }
    }

    @Test func aMissingExtensionCannotBeRemoved() throws {
        try ExtensionFixture.run { place in
            for identifier in ["org.example.other", "../Unruly", ""] {
                #expect(throws: ExtensionLibrary.LibraryError.self) { try place.library.remove(identifier: identifier) }
            }
        }
    }
}
