import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct TypeReferenceTests {
    @Test func aTypeIsConvertedToAnObjectAndBack() throws {
        let reference = UTType.jpeg as UTTypeReference
        #expect(reference.identifier == "public.jpeg")
        #expect(reference as UTType == .jpeg)
        let any: Any = UTType.png
        #expect((any as? UTTypeReference)?.identifier == "public.png")
        #expect((any as AnyObject) is UTTypeReference)
        let object: Any = reference
        #expect(object as? UTType == .jpeg)
        #expect([UTType.png, .pdf] as [UTTypeReference] as [UTType] == [.png, .pdf])
        let type: UTType.ReferenceType = UTType.pdf as UTTypeReference
        #expect(type.isEqual(UTType.pdf as UTTypeReference) && !type.isEqual(reference) && !type.isEqual("x"))
        #expect(type.hash == (UTType.pdf as UTTypeReference).hash)
        #expect(type.copy() as? UTTypeReference === type)
        #expect(type.description == "com.adobe.pdf" && type.debugDescription.contains("com.adobe.pdf"))
        #expect(NSSet(array: [reference, UTType.jpeg as UTTypeReference]).count == 1)
    }

    @Test func everyInitializerMakesTheSameTypeAsTheStructs() throws {
        #expect(UTTypeReference("public.png")?.identifier == "public.png")
        #expect(UTTypeReference("com.example.nothing") == nil)
        #expect(UTTypeReference(filenameExtension: "jpg")?.identifier == "public.jpeg")
        #expect(UTTypeReference(filenameExtension: "mp4", conformingTo: .audio)?.identifier == "public.mpeg-4-audio")
        #expect(UTTypeReference(filenameExtension: "a/b") == nil)
        #expect(UTTypeReference(mimeType: "image/png")?.identifier == "public.png")
        #expect(UTTypeReference(mimeType: "image/png", conformingTo: .image)?.identifier == "public.png")
        #expect(UTTypeReference(mimeType: "image") == nil)
        let tagged = UTTypeReference(tag: "png", tagClass: "public.filename-extension", conformingTo: nil)
        #expect(tagged?.identifier == "public.png")
        #expect(UTTypeReference(tag: "a", tagClass: "public.mime-type", conformingTo: nil) == nil)
        #expect(
            UTTypeReference.types(tag: "mp4", tagClass: "public.filename-extension", conformingTo: nil)
                == [.mpeg4Movie, .mpeg4Audio])
        #expect(UTTypeReference(exportedAs: "com.example.a").identifier == "com.example.a")
        #expect(UTTypeReference(exportedAs: "com.example.a", conformingTo: .text).conforms(to: .text))
        #expect(UTTypeReference(importedAs: "com.example.a").conforms(to: .data))
        #expect(UTTypeReference(importedAs: "com.example.a", conformingTo: .text).conforms(to: .text))
    }

    @Test func everyPropertyIsTheStructs() throws {
        let png = UTType.png as UTTypeReference
        #expect(png.preferredFilenameExtension == "png" && png.preferredMIMEType == "image/png")
        #expect(png.localizedDescription == UTType.png.localizedDescription)
        #expect(png.version == nil && png.referenceURL == nil)
        #expect(png.isDeclared && png.isPublic && !png.isDynamic)
        #expect(png.tags == ["public.filename-extension": ["png"], "public.mime-type": ["image/png"]])
        #expect(png.conforms(to: .image) && png.isSubtype(of: .image) && !png.isSupertype(of: .image))
        #expect(png.supertypes == UTType.png.supertypes)
    }

    @Test func anObjectIsArchivedAsItsIdentifier() throws {
        #expect(UTTypeReference.supportsSecureCoding)
        for type in [UTType.jpeg, UTType(exportedAs: "com.example.archived")] {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: type as UTTypeReference, requiringSecureCoding: true)
            let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: UTTypeReference.self, from: data)
            #expect(copy?.identifier == type.identifier)
        }
    }
}
