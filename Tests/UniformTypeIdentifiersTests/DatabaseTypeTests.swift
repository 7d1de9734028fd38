import Foundation
import Testing
import UniformTypeIdentifiers

/// Types that only the freedesktop database has. The database itself is tested elsewhere.
@Suite(.enabled(if: MIMEDatabase.shared != nil || ProcessInfo.processInfo.environment["CI"] != nil, "no mime.cache"))
struct DatabaseTypeTests {
    @Test func anExtensionOfTheDatabaseIsADynamicTypeThatKnowsMore() throws {
        let type = try #require(UTType(filenameExtension: "rst"))
        #expect(type.isDynamic && DynamicIdentifier(type.identifier)?.payload == "?0=6:1=rst")
        #expect(UTType(type.identifier) == type)
        #expect(type.tags == [.filenameExtension: ["rst"]])
        #expect(type.preferredMIMEType == "text/x-rst")
        #expect(type.mimeTypes == ["text/x-rst"])
        #expect(type.filenameExtensions == ["rst"])
        #expect(type.conforms(to: .plainText) && type.conforms(to: .text) && type.conforms(to: .data))
        #expect(!type.conforms(to: .image))
        #expect(type.localizedDescription?.isEmpty == false)
        #expect(try type.isSubtype(of: #require(UTType(mimeType: "text/x-rst"))))
    }

    @Test func aMIMETypeOfTheDatabaseIsADynamicTypeThatKnowsMore() throws {
        let type = try #require(UTType(mimeType: "text/x-rst"))
        #expect(type.isDynamic && type.tags == [.mimeType: ["text/x-rst"]])
        #expect(type.preferredFilenameExtension == "rst" && type.conforms(to: .plainText))
        #expect(try #require(UTType(type.identifier)).conforms(to: .plainText))
        let notebook = try #require(UTType(mimeType: "application/x-ipynb+json"))
        #expect(notebook.conforms(to: .json) && notebook.conforms(to: .text))
    }

    @Test func anExtensionThatMeansADeclaredTypeToTheDatabaseIsThatType() {
        #expect(UTType(filenameExtension: "asc") == .plainText)
        #expect(UTType(filenameExtension: "ASC", conformingTo: .image)?.isDynamic == true)
        #expect(UTType(filenameExtension: "so") == UTType("public.elf-binary"))
    }

    @Test(arguments: [
        ("application/x-7z-compressed", UTType.archive), ("application/zstd", .archive), ("image/x-xcf", .image),
        ("audio/x-xm", .audio), ("video/x-matroska", .movie), ("font/woff2", .font),
        ("model/gltf-binary", .threeDContent),
        ("application/vnd.oasis.opendocument.spreadsheet", .spreadsheet), ("message/rfc822", .emailMessage),
        ("application/vnd.sqlite3", .database), ("application/x-cd-image", .diskImage), ("text/rust", .sourceCode),
        ("application/vnd.ms-excel.sheet.macroEnabled.12", .spreadsheet), ("image/svg+xml-compressed", .svg),
    ])
    func abstractTypesHoldForTypesOfTheDatabase(mime: String, supertype: UTType) throws {
        let type = try #require(UTType(mimeType: mime))
        #expect(type.conforms(to: supertype) && type.conforms(to: .data))
        #expect(type == supertype || type.supertypes.contains(supertype))
    }

    @Test func theSupertypeChoosesBetweenTheMeaningsOfTheDatabase() throws {
        // To the database, Ogg is primarily audio, and can also be a film.
        let film = try #require(UTType(filenameExtension: "ogg", conformingTo: .movie))
        #expect(film.isDynamic && film.conforms(to: .movie))
        let any = try #require(UTType(tag: "ogg", tagClass: .filenameExtension, conformingTo: nil))
        #expect(any.identifier == "dyn.age80835h" && any.conforms(to: .audio))
    }

    @Test func namesOfKindsOfItemsAreTheSystemsTypes() {
        #expect(UTType(mimeType: "inode/directory", conformingTo: .item) == .folder)
        #expect(UTType(mimeType: "inode/symlink", conformingTo: .item) == .symbolicLink)
    }

    @Test func everyEquivalentIsADeclaredType() {
        for (mime, identifier) in KnownMIMETypes.equivalents {
            #expect(UTType(identifier)?.isDeclared == true, "\(mime)")
            for parent in KnownMIMETypes.abstractParents(of: mime) {
                #expect(UTType(parent)?.isDeclared == true, "\(mime)")
            }
        }
    }

    @Test func everyTypeOfTheDatabaseCanBeAskedEverything() throws {
        let names = try String(contentsOfFile: "/usr/share/mime/types", encoding: .utf8).split(separator: "\n")
        for mime in names.map(String.init) {
            let type = try #require(UTType(mimeType: mime) ?? UTType(mimeType: mime, conformingTo: .item), "\(mime)")
            #expect(!type.supertypes.contains(type))
            if !mime.hasPrefix("inode/"), !mime.hasPrefix("x-content/") {
                #expect(type.conforms(to: .data), "\(mime)")
            }
            #expect(UTType(type.identifier) == type)
        }
    }
}
