import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

/// The registry of a process. Tests that change its sources run in processes of their own.
@Suite struct TypeRegistryTests {
    @Test func aTypeThatAProcessDeclaresIsThereAtOnceAndGoesAway() async {
        await #expect(processExitsWith: .success) {
            let early = UTType(exportedAs: "com.example.notes", conformingTo: .text)
            let asText = try #require(UTType(filenameExtension: "exnotes"))
            #expect(asText.isDynamic && !early.isDeclared)

            TypeRegistry.register(declarations: [
                TypeDeclaration(
                    identifier: "com.example.notes", isExported: true, parents: ["public.json"],
                    tags: ["public.filename-extension": ["exnotes", "n2"], "public.mime-type": ["application/x-exn"]],
                    description: "example notes")
            ])
            let type = try #require(UTType("COM.example.notes"))
            #expect(type.identifier == "com.example.notes" && type.isDeclared)
            #expect(UTType(filenameExtension: "EXNOTES") == type)
            #expect(UTType(mimeType: "application/x-exn") == type)
            #expect(type.conforms(to: .json) && type.conforms(to: .data) && type.isSubtype(of: .text))
            #expect(type.preferredFilenameExtension == "exnotes" && type.localizedDescription == "example notes")
            #expect(UTType(exportedAs: "com.example.notes", conformingTo: .image) == type)
            // A value from before the declaration has its properties, too, and is equal.
            #expect(early == type && early.isDeclared && early.conforms(to: .json) && type.conforms(to: early))
            #expect(UTType.type(ofFileName: "a.exnotes") == type)

            TypeRegistry.unregisterAll()
            #expect(UTType("com.example.notes") == nil && !type.isDeclared)
            #expect(type == early && type.conforms(to: type))
            #expect(UTType(filenameExtension: "exnotes") == asText)
        }
    }

    @Test func anImportedTypeGivesWayToTheOneThatOwnsItsFiles() async {
        await #expect(processExitsWith: .success) {
            func declaration(_ identifier: String, exported: Bool) -> TypeDeclaration {
                TypeDeclaration(
                    identifier: identifier, isExported: exported, parents: ["public.data"],
                    tags: ["public.filename-extension": ["exown"]])
            }
            TypeRegistry.register(declarations: [declaration("com.example.imported", exported: false)])
            #expect(UTType(importedAs: "com.example.imported").identifier == "com.example.imported")
            TypeRegistry.register(declarations: [declaration("org.example.owner", exported: true)])
            #expect(UTType(importedAs: "com.example.imported").identifier == "org.example.owner")
            #expect(UTType(exportedAs: "com.example.imported").identifier == "com.example.imported")
            #expect(UTType(importedAs: "org.example.owner").identifier == "org.example.owner")
        }
    }

    @Test func anExtensionOfSeveralPartsThatABundleDeclaresBelongsToIt() async {
        await #expect(processExitsWith: .success) {
            TypeRegistry.register(declarations: [
                TypeDeclaration(
                    identifier: "com.example.sketch", isExported: true, parents: ["public.data"],
                    tags: ["public.filename-extension": ["sketch.json", "txt"]])
            ])
            #expect(UTType.type(ofFileName: "a.sketch.json").identifier == "com.example.sketch")
            #expect(UTType.type(ofFileName: "a.b.sketch.JSON").identifier == "com.example.sketch")
            #expect(UTType.type(ofFileName: "a.json") == .json)
            // The process's own declaration precedes the system's.
            #expect(UTType(filenameExtension: "txt")?.identifier == "com.example.sketch")
            #expect(UTType(filenameExtension: "txt", conformingTo: .text) == .plainText)
        }
    }

    @Test func bundlesRegisteredWithTheDaemonDeclareTypes() async {
        await #expect(processExitsWith: .success) {
            let home = try TemporaryFolder()
            setenv("PURVEY_HOME", home.url.path, 1)
            let folder = home.url.appendingPathComponent("data/bundles")
            #expect(try BundleRecords.folder() == folder.path)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func record(_ name: String, _ exported: [[String: Any]], _ imported: [[String: Any]], executable: String)
                throws
            {
                let list: [String: Any] = [
                    "Identifier": "com.example.\(name)", "Path": "/opt/\(name)", "Executable": executable,
                    "UTExportedTypeDeclarations": exported, "UTImportedTypeDeclarations": imported,
                ]
                let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
                try data.write(to: folder.appendingPathComponent(name + ".plist"), options: .atomic)
            }
            func type(_ identifier: String, _ ext: String) -> [String: Any] {
                [
                    "UTTypeIdentifier": identifier, "UTTypeConformsTo": "public.data",
                    "UTTypeTagSpecification": ["public.filename-extension": ext],
                ]
            }
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            try record("a", [], [type("com.example.importer", "exreg")], executable: "/opt/a/a")
            try record("b", [type("com.example.owner", "exreg")], [], executable: "/opt/b/b")
            try record("c", [], [type("com.example.own", "exreg")], executable: own)
            try Data("not a property list".utf8).write(to: folder.appendingPathComponent("bad.plist"))
            try Data("ignored".utf8).write(to: folder.appendingPathComponent("readme.txt"))
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("dir.plist"), withIntermediateDirectories: false)
            try #require(mkfifo(folder.appendingPathComponent("pipe.plist").path, 0o600) == 0)

            TypeRegistry.reload()
            let found = UTType.types(tag: "exreg", tagClass: .filenameExtension, conformingTo: nil).map(\.identifier)
            #expect(found == ["com.example.own", "com.example.owner", "com.example.importer"])
            #expect(UTType("com.example.owner")?.declaringBundle?.path == "/opt/b")
            let faulty = TypeRegistry.faults.map { URL(fileURLWithPath: $0.source).lastPathComponent }
            #expect(faulty == ["bad.plist", "dir.plist", "pipe.plist"])

            // A change is noticed without a notification, within about a second.
            try record("d", [type("com.example.late", "exlate")], [], executable: "/opt/d/d")
            var late: UTType?
            for _ in 0..<30_000 where late == nil {
                late = UTType("com.example.late")
                usleep(10_000)
            }
            #expect(late?.preferredFilenameExtension == "exlate")
            try FileManager.default.removeItem(at: folder)
            TypeRegistry.reload()
            #expect(UTType("com.example.late") == nil && late?.isDeclared == false)
            #expect(TypeRegistry.faults.isEmpty)
        }
    }

    @Test func theFolderOfRecordsFollowsTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            unsetenv("PURVEY_HOME")
            setenv("HOME", "/home/someone", 1)
            unsetenv("XDG_DATA_HOME")
            #expect((try? BundleRecords.folder()) == "/home/someone/.local/share/purvey/bundles")
            setenv("XDG_DATA_HOME", "relative", 1)
            #expect((try? BundleRecords.folder()) == "/home/someone/.local/share/purvey/bundles")
            setenv("XDG_DATA_HOME", "/data", 1)
            #expect((try? BundleRecords.folder()) == "/data/purvey/bundles")
            setenv("PURVEY_HOME", "/elsewhere", 1)
            #expect((try? BundleRecords.folder()) == "/elsewhere/data/bundles")
        }
    }

    @Test func noBundlesAreReadFromARelativeHome() async {
        await #expect(processExitsWith: .success) {
            let place = try TemporaryFolder()
            let folder = place.url.appendingPathComponent("rel/data/bundles")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let list: [String: Any] = [
                "Path": "/opt/a", "UTExportedTypeDeclarations": [["UTTypeIdentifier": "com.example.relative"]],
            ]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: folder.appendingPathComponent("a.plist"))
            try #require(chdir(place.url.path) == 0)
            setenv("PURVEY_HOME", "rel", 1)
            #expect(throws: DeclarationError.self) { try BundleRecords.folder() }
            TypeRegistry.reload()
            #expect(UTType("com.example.relative") == nil)
            #expect(UTType.declarationFaults == ["PURVEY_HOME: 'rel' has to be an absolute path"])
            setenv("PURVEY_HOME", place.url.path + "/rel", 1)
            TypeRegistry.reload()
            #expect(UTType("com.example.relative") != nil && UTType.declarationFaults == [])
        }
    }

    @Test func readersAreNotDisturbedByChanges() async {
        await #expect(processExitsWith: .success) {
            await withTaskGroup(of: Void.self) { group in
                for reader in 0..<3 {
                    group.addTask {
                        for round in 0..<4000 {
                            #expect(UTType(filenameExtension: "jpg") == .jpeg)
                            #expect(UTType.jpeg.conforms(to: .image) && !UTType.jpeg.conforms(to: .text))
                            let type = UTType("com.example.race\(round % 50)")
                            if let type {
                                #expect(type.identifier == "com.example.race\(round % 50)")
                                _ = type.supertypes
                            }
                            let file = UTType(filenameExtension: "race\(round % 50)")
                            let isData = file?.conforms(to: .data) == true
                            // If the declaration was removed between the two calls, the type conforms to nothing from
                            // then on.
                            #expect(isData || file?.isDeclared == false, "\(reader)")
                        }
                    }
                }
                group.addTask {
                    for round in 0..<50 {
                        TypeRegistry.register(declarations: [
                            TypeDeclaration(
                                identifier: "com.example.race\(round)", isExported: true, parents: ["public.text"],
                                tags: ["public.filename-extension": ["race\(round)"]])
                        ])
                        if round % 10 == 9 {
                            TypeRegistry.unregisterAll()
                        }
                        TypeRegistry.reload()
                    }
                }
            }
        }
    }

    @Test func aChangeCostsLittleMoreThanWhatItChanges() async {
        await #expect(processExitsWith: .success) {
            func residentPages() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                return try #require(Int(text.split(separator: " ")[1]))
            }
            TypeRegistry.register(
                declarations: (0..<500).map { number in
                    TypeDeclaration(
                        identifier: "com.example.type\(number)", isExported: true,
                        parents: ["public.data", "public.content"],
                        tags: [
                            "public.filename-extension": ["ex\(number)"],
                            "public.mime-type": ["application/x-\(number)"],
                        ], description: "type \(number)")
                })
            let before = try residentPages()
            for round in 0..<100 {
                TypeRegistry.register(declarations: [
                    TypeDeclaration(
                        identifier: "com.example.late\(round)", isExported: true,
                        tags: ["public.filename-extension": ["late\(round)"]])
                ])
                #expect(UTType("com.example.late\(round)") != nil)
            }
            // At most 200 KB for each change. The records of all types alone would take more if each change made them
            // anew.
            #expect(try (residentPages() - before) * Int(getpagesize()) < 100 * 200 << 10)
        }
    }

    @Test func aReloadThatChangesNothingPublishesNothing() async {
        await #expect(processExitsWith: .success) {
            let before = TypeRegistry.withCurrent { ObjectIdentifier($0) }
            for _ in 0..<10 {
                TypeRegistry.reload()
            }
            #expect(TypeRegistry.withCurrent { ObjectIdentifier($0) } == before)
        }
    }
}
