import Testing
import UniformTypeIdentifiers

/// Types that programs declare, but not the system. Each test that loads some runs in a process of its own.
@Suite struct TypeCollectionTests {
    @Test func noneIsLoadedUnlessItIsAskedFor() {
        #expect(TypeRow.thirdParty.count > 400)
        for row in TypeRow.thirdParty where row.tier != "system" {
            #expect(UTType(row.identifier) == nil, "\(row.identifier)")
        }
        #expect(UTType(filenameExtension: "mkv")?.isDynamic == true)
    }

    @Test func aCollectionIsKnownByItsName() {
        #expect(UTTypeCollection(rawValue: "imports") == .imports)
        #expect(UTTypeCollection(rawValue: "system") == nil)
        #expect(UTTypeCollection.allCases.map(\.rawValue) == ["apple-app", "owner", "unowned", "imports"])
    }

    @Test func aLoadedCollectionDeclaresItsTypes() async {
        await #expect(processExitsWith: .success) {
            UTTypeCollection.imports.load()
            UTTypeCollection.imports.load()
            let film = try #require(UTType(filenameExtension: "mkv"))
            #expect(film.identifier == "org.matroska.mkv" && film.conforms(to: .movie) && film.isDeclared)
            #expect(UTType(mimeType: "video/x-matroska") == film && film.preferredMIMEType == "video/x-matroska")
            // A type of another collection.
            #expect(UTType("com.microsoft.typescript") == nil)
            TypeRegistry.unregisterAll()
            #expect(UTType("org.matroska.mkv") == nil)
        }
    }

    @Test func allRowsOfAllCollectionsAreDeclared() async {
        await #expect(processExitsWith: .success) {
            for collection in UTTypeCollection.allCases { collection.load() }
            #expect(TypeRegistry.faults.isEmpty)
            for row in TypeRow.thirdParty {
                let type = try #require(UTType(row.identifier), "\(row.identifier)")
                #expect(type.tags[.filenameExtension] ?? [] == row.extensions, "\(row.identifier)")
                #expect(type.tags[.mimeType] ?? [] == row.mimeTypes, "\(row.identifier)")
                for parent in row.parents {
                    #expect(try type.conforms(to: #require(UTType(parent))), "\(row.identifier)")
                }
            }
            for owner in TagOwner.all where owner.tag != "fs" {
                let types = UTType.types(tag: owner.tag, tagClass: owner.tagClass, conformingTo: nil)
                #expect(types.map(\.identifier).first == owner.identifiers.first, "\(owner.tag)")
            }
        }
    }

    @Test func aTagOfTheSystemKeepsItsMeaning() async {
        await #expect(processExitsWith: .success) {
            for collection in UTTypeCollection.allCases { collection.load() }
            for row in TypeRow.all {
                let type = try #require(UTType(row.identifier))
                #expect(type.tags[.filenameExtension] ?? [] == row.extensions)
            }
            #expect(UTType(filenameExtension: "ts") == .mpeg2TransportStream)
            #expect(UTType(filenameExtension: "eml")?.identifier == "com.apple.mail.email")
            #expect(UTType(filenameExtension: "ts", conformingTo: .text)?.identifier == "com.microsoft.typescript")
            // A type of a collection that owns the extension, while the system's type is a package.
            #expect(UTType(filenameExtension: "mbox")?.identifier == "com.c-command.mbox")
        }
    }

    @Test func aDeclarationOfTheProgramsOwnComesFirst() async {
        await #expect(processExitsWith: .success) {
            UTTypeCollection.imports.load()
            TypeRegistry.register(declarations: [
                TypeDeclaration(
                    identifier: "com.example.film", isExported: true, parents: ["public.movie"],
                    tags: ["public.filename-extension": ["mkv"]])
            ])
            #expect(UTType(filenameExtension: "mkv")?.identifier == "com.example.film")
        }
    }
}
