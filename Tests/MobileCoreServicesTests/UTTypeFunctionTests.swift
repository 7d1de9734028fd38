import Foundation
import MobileCoreServices
import Testing
import UniformTypeIdentifiers

@Suite(.serialized) struct UTTypeFunctionTests {
    @Test func anExtensionBecomesAnIdentifierAsProgramsWriteIt() {
        let ext = "JPG"
        let identifier =
            UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, ext as CFString, nil)?
            .takeRetainedValue() as String?
        #expect(identifier == "public.jpeg")
        let type = UTTypeCreatePreferredIdentifierForTag(
            kUTTagClassMIMEType, "image/png" as CFString, kUTTypeImage)?.takeRetainedValue()
        #expect(type == kUTTypePNG)
    }

    @Test func anUndeclaredTagBecomesADynamicIdentifierWithoutAParent() throws {
        let created = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "rs", nil)
        let identifier = try #require(created?.takeRetainedValue())
        #expect(identifier as String == "dyn.age81e62")
        #expect(UTTypeIsDynamic(identifier) && !UTTypeIsDeclared(identifier))
        let tag = UTTypeCopyPreferredTagWithClass(identifier, kUTTagClassFilenameExtension)
        #expect(tag?.takeRetainedValue() as String? == "rs")
        let package = UTTypeCreatePreferredIdentifierForTag(
            kUTTagClassFilenameExtension, "download", kUTTypePackage)?.takeRetainedValue()
        #expect(package as String? == "dyn.ah62d4qmuhk2x43dts71g255bqu")
        let file = UTTypeCreatePreferredIdentifierForTag(kUTTagClassOSType, "itun", nil)?.takeRetainedValue()
        #expect(file as String? == "dyn.agk80w7dzr2")
    }

    @Test func aTagThatIsNoneGivesNothing() {
        #expect(UTTypeCreatePreferredIdentifierForTag(kUTTagClassMIMEType, "nonsense", nil) == nil)
        #expect(UTTypeCreateAllIdentifiersForTag(kUTTagClassFilenameExtension, "a/b", nil) == nil)
    }

    @Test func allIdentifiersOfATagComeWithThePreferredOneFirst() {
        let all = UTTypeCreateAllIdentifiersForTag(kUTTagClassFilenameExtension, "mp4", nil)?.takeRetainedValue()
        #expect(all as? [String] == ["public.mpeg-4", "public.mpeg-4-audio"])
        let audio = UTTypeCreateAllIdentifiersForTag(kUTTagClassFilenameExtension, "mp4", kUTTypeAudio)?
            .takeRetainedValue()
        #expect(audio as? [String] == ["public.mpeg-4-audio"])
    }

    @Test func tagsOfATypeAreInDeclarationOrder() {
        let preferred = UTTypeCopyPreferredTagWithClass(kUTTypeJPEG, kUTTagClassMIMEType)?.takeRetainedValue()
        #expect(preferred as String? == "image/jpeg")
        let all = UTTypeCopyAllTagsWithClass(kUTTypeJPEG, kUTTagClassFilenameExtension)?.takeRetainedValue()
        #expect(all as? [String] == ["jpeg", "jpg", "jpe"])
        #expect(UTTypeCopyPreferredTagWithClass(kUTTypeImage, kUTTagClassFilenameExtension) == nil)
        #expect(UTTypeCopyAllTagsWithClass("com.example.nothing", kUTTagClassMIMEType) == nil)
    }

    @Test func identifiersCompareWithoutRegardToCase() {
        #expect(UTTypeEqual("PUBLIC.JPEG", kUTTypeJPEG))
        #expect(UTTypeEqual("com.example.A", "com.example.a"))
        #expect(!UTTypeEqual(kUTTypePNG, kUTTypeJPEG))
        #expect(UTTypeConformsTo("Public.Jpeg", "public.IMAGE"))
        #expect(UTTypeConformsTo(kUTTypePNG, kUTTypeData))
        #expect(!UTTypeConformsTo(kUTTypeImage, kUTTypePNG))
        #expect(UTTypeConformsTo("com.example.nothing", "com.example.nothing"))
        #expect(!UTTypeConformsTo("com.example.nothing", kUTTypeData))
    }

    @Test func aDeclarationHasTheKeysOfAPropertyList() throws {
        let declaration = try #require(UTTypeCopyDeclaration(kUTTypePDF)?.takeRetainedValue())
        #expect(declaration[kUTTypeIdentifierKey] as? String == "com.adobe.pdf")
        #expect(declaration[kUTTypeConformsToKey] as? [String] == ["public.data", "public.composite-content"])
        #expect(declaration[kUTTypeDescriptionKey] as? String == "PDF document")
        let tags = try #require(declaration[kUTTypeTagSpecificationKey] as? NSDictionary)
        #expect(tags[kUTTagClassFilenameExtension] as? [String] == ["pdf"])
        #expect(UTTypeCopyDeclaration("com.example.nothing") == nil)
        #expect(UTTypeCopyDescription(kUTTypePNG)?.takeRetainedValue() as String? == "PNG image")
        #expect(UTTypeCopyDeclaringBundleURL(kUTTypePDF) == nil)
    }

    @Test func aBundleOfTheProcessDeclaresTagsOfAllClasses() throws {
        defer { TypeRegistry.unregisterAll() }
        let faults = TypeRegistry.register(
            infoDictionary: [
                kUTExportedTypeDeclarationsKey as String: [
                    [
                        kUTTypeIdentifierKey as String: "com.example.mcs", kUTTypeVersionKey as String: "3",
                        kUTTypeReferenceURLKey as String: "https://example.com/mcs",
                        kUTTypeConformsToKey as String: "public.data",
                        kUTTypeTagSpecificationKey as String: [
                            kUTTagClassOSType as String: "mCs ", kUTTagClassNSPboardType as String: ["A type", "B"],
                            kUTTagClassFilenameExtension as String: "mcs",
                        ],
                    ]
                ]
            ], source: "test")
        #expect(faults.isEmpty)
        let byType = UTTypeCreatePreferredIdentifierForTag(kUTTagClassOSType, "mCs ", nil)?.takeRetainedValue()
        #expect(byType as String? == "com.example.mcs")
        let boards = UTTypeCopyAllTagsWithClass("com.example.mcs", kUTTagClassNSPboardType)?.takeRetainedValue()
        #expect(boards as? [String] == ["A type", "B"])
        let declaration = try #require(UTTypeCopyDeclaration("com.example.mcs")?.takeRetainedValue())
        #expect(declaration[kUTTypeVersionKey] as? Int == 3)
        #expect(declaration[kUTTypeReferenceURLKey] as? String == "https://example.com/mcs")
        #expect(declaration[kUTTypeIconFileKey] == nil && kUTImportedTypeDeclarationsKey.length > 0)
    }

    @Test func fourBytesAreATextInMacOSRoman() {
        #expect(UTCreateStringForOSType(0x6974_756E).takeRetainedValue() as String == "itun")
        #expect(UTCreateStringForOSType(0xC470_6431).takeRetainedValue() as String == "ƒpd1")
        #expect(UTGetOSTypeFromString("ƒpd1") == 0xC470_6431)
        for byte in (0...255) as ClosedRange<OSType> {
            let type = byte << 24 | 0x2020_2000 | (255 - byte)
            #expect(UTGetOSTypeFromString(UTCreateStringForOSType(type).takeRetainedValue()) == type)
        }
        #expect(UTGetOSTypeFromString("toolong") == 0)
        #expect(UTGetOSTypeFromString("漢字漢字") == 0)
    }
}
