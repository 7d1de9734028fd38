import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct TypePropertyTests {
    @Test func typesAreEqualByIdentifier() throws {
        let jpeg = try #require(UTType("public.jpeg"))
        #expect(jpeg == .jpeg && jpeg.hashValue == UTType.jpeg.hashValue && jpeg != .png)
        #expect(Set([UTType.jpeg, jpeg, .png]).count == 2)
        #expect(UTType(exportedAs: "com.example.x", conformingTo: .text) == UTType(importedAs: "com.example.x"))
        #expect(jpeg.description == "public.jpeg" && "\(jpeg)" == "public.jpeg")
        #expect(jpeg.debugDescription.contains("public.jpeg"))
    }

    @Test func conformanceIsReflexiveAndTransitiveAndTheOthersAreStrict() {
        #expect(UTType.jpeg.conforms(to: .jpeg) && UTType.jpeg.conforms(to: .image) && UTType.jpeg.conforms(to: .item))
        #expect(!UTType.image.conforms(to: .jpeg))
        #expect(UTType.jpeg.isSubtype(of: .image) && !UTType.jpeg.isSubtype(of: .jpeg))
        #expect(UTType.image.isSupertype(of: .jpeg) && !UTType.image.isSupertype(of: .image))
        #expect(UTType.jpeg.supertypes == [.image, .data, .item, .content])
        #expect(UTType.jpeg.supertypesByDistance.first == .image)
        #expect(UTType.item.supertypes.isEmpty)
        #expect(UTType.svg.conforms(to: .xml) && UTType.svg.conforms(to: .image))
    }

    @Test func descriptionsAreOwnOrInherited() {
        #expect(UTType.png.localizedDescription == "PNG image")
        #expect(UTType.plainText.localizedDescription == "plain text document")
        // A type without a description of its own inherits one.
        #expect(UTType("com.apple.macbookpro-16-silver")?.localizedDescription == "computer")
        for row in TypeRow.all where row.name != nil {
            #expect(UTType(row.identifier)?.localizedDescription?.isEmpty == false)
        }
    }

    @Test func anUndeclaredTypeCanBeUsed() {
        let type = UTType(exportedAs: "no reverse domain", conformingTo: .json)
        #expect(type.identifier == "no reverse domain" && !type.isDeclared && !type.isDynamic && !type.isPublic)
        #expect(type.conforms(to: .json) && type.conforms(to: .text) && type.conforms(to: type))
        #expect(type.supertypes.contains(.json) && type.isSubtype(of: .data))
        #expect(type.tags.isEmpty && type.preferredFilenameExtension == nil && type.preferredMIMEType == nil)
        #expect(type.localizedDescription == "JSON document")
        #expect(UTType(exportedAs: "").conforms(to: .data))
        #expect(UTType(importedAs: "com.example.y").supertypes == [.data, .item])
        #expect(UTType(importedAs: "com.example.bundle", conformingTo: .package).conforms(to: .directory))
        #expect(UTType(exportedAs: "PUBLIC.PNG") == .png && UTType(importedAs: "public.png") == .png)
        let child = UTType(exportedAs: "com.example.child", conformingTo: type)
        #expect(child.conforms(to: type) && child.conforms(to: .json) && !type.conforms(to: child))
    }

    @Test func aTypeIsCodedAsItsIdentifier() throws {
        let types: [UTType] = try [
            .jpeg, #require(UTType(filenameExtension: "nobodyknows")), UTType(exportedAs: "com.example.z"),
        ]
        let data = try JSONEncoder().encode(types)
        #expect(try JSONDecoder().decode([String].self, from: data) == types.map(\.identifier))
        #expect(try JSONDecoder().decode([UTType].self, from: data) == types)
        let list = try PropertyListEncoder().encode(["type": UTType.pdf])
        #expect(try PropertyListDecoder().decode([String: UTType].self, from: list) == ["type": .pdf])
        for bad in [#"["no identifier!"]"#, #"[""]"#, #"["dyn.agk8"]"#, "[3]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([UTType].self, from: Data(bad.utf8)) }
        }
    }

    @Test func aTagClassIsItsRawValue() throws {
        #expect(UTTagClass.filenameExtension.rawValue == "public.filename-extension")
        #expect(UTTagClass.mimeType == UTTagClass(rawValue: "public.mime-type"))
        #expect(UTTagClass.mimeType.description == "public.mime-type")
        #expect(UTTagClass.mimeType.debugDescription == "public.mime-type")
        #expect(Set([UTTagClass.mimeType, .mimeType, .filenameExtension]).count == 2)
        let data = try JSONEncoder().encode([UTTagClass.mimeType])
        #expect(try JSONDecoder().decode([UTTagClass].self, from: data) == [.mimeType])
        let raw: UTTagClass.RawValue = UTTagClass.mimeType.rawValue
        #expect(UTType(raw)?.isDeclared == true)
    }
}
