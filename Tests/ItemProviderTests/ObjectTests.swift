import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

/// A model class like those of real clients, with several types for writing and for reading.
final class Note: NSObject, NSItemProviderWriting, NSItemProviderReading {
    let text: String

    init(text: String) { self.text = text }

    static var writableTypeIdentifiersForItemProvider: [String] { ["com.example.note", "public.utf8-plain-text"] }

    static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility {
        typeIdentifier == "com.example.note" ? .team : .all
    }

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping (Data?, (any Error)?) -> Void
    ) -> Progress? {
        let progress = Progress(totalUnitCount: 100)
        completionHandler(Data("\(typeIdentifier)|\(text)".utf8), nil)
        return progress
    }

    static var readableTypeIdentifiersForItemProvider: [String] { ["public.plain-text", "com.example.note"] }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Note {
        if data.isEmpty { throw CocoaError(.fileReadCorruptFile) }
        return Note(text: "\(typeIdentifier)>\(String(decoding: data, as: UTF8.self))")
    }
}

@Suite struct ObjectTests {
    private let website: NSURL

    init() throws {
        website = try #require(URL(string: "https://example.org")) as NSURL
    }

    @Test func anObjectOffersEverythingItCanWriteInItsOrder() async {
        let provider = NSItemProvider(object: Note(text: "hello"))
        #expect(provider.registeredTypeIdentifiers == ["com.example.note", "public.utf8-plain-text"])
        #expect(await provider.data("public.utf8-plain-text").data == Data("public.utf8-plain-text|hello".utf8))
        #expect(provider.representations.map(\.visibility) == [.team, .all])
    }

    @Test func objectsAreAddedToWhatIsOfferedAlready() async {
        let provider = NSItemProvider(object: website)
        provider.registerObject(Note(text: "later"), visibility: .ownProcess)
        provider.registerObject(Note(text: "ignored"), visibility: .all)
        #expect(
            provider.registeredTypeIdentifiers == ["public.url", "com.example.note", "public.utf8-plain-text"])
        // The stricter of the object's visibility and the registration's counts.
        #expect(provider.representations.map(\.visibility) == [.all, .ownProcess, .ownProcess])
        #expect(await provider.data("com.example.note").data == Data("com.example.note|later".utf8))
    }

    @Test func anInstancesListOverridesItsClasses() {
        #expect(
            NSItemProvider(object: NSURL(fileURLWithPath: "/tmp/a")).registeredTypeIdentifiers
                == ["public.file-url", "public.url"])
        #expect(NSURL.writableTypeIdentifiersForItemProvider == ["public.url"])
    }

    @Test func aClassRegisteredAheadMakesItsObjectWhenLoaded() async {
        let made = Mutex(0)
        let provider = NSItemProvider()
        provider.registerObject(ofClass: Note.self, visibility: .all) { completion in
            made.withLock { $0 += 1 }
            completion(Note(text: "late"), nil)
            return nil
        }
        #expect(made.withLock { $0 } == 0)
        #expect(await provider.data("com.example.note").data == Data("com.example.note|late".utf8))
        #expect(made.withLock { $0 } == 1)
    }

    @Test func aClassRegisteredAheadMustKeepItsWord() async throws {
        let provider = NSItemProvider()
        provider.registerObject(ofClass: Note.self, visibility: .all) { completion in
            completion(NSString(string: "not a note"), nil)
            return nil
        }
        let error = try #require(await provider.data("com.example.note").error)
        #expect(error.underlying?.code == NSItemProvider.ErrorCode.unexpectedValueClassError.rawValue)
    }

    @Test func anExactMatchOfTypesIsPreferredToAConformingOne() async throws {
        let provider = NSItemProvider(object: Note(text: "x"))
        let note = try await provider.loadObject(ofClass: Note.self)
        #expect(note.text == "com.example.note>com.example.note|x")
    }

    @Test func withoutAnExactMatchAConformingTypeIsRead() async throws {
        let provider = NSItemProvider(object: NSString(string: "words"))
        #expect(provider.canLoadObject(ofClass: Note.self))
        let note = try await provider.loadObject(ofClass: Note.self)
        #expect(note.text == "public.utf8-plain-text>words")
    }

    @Test func aClassThatCannotReadTheItemIsToldSo() async throws {
        let provider = NSItemProvider(object: website)
        #expect(!provider.canLoadObject(ofClass: Note.self))
        await #expect(throws: NSError.self) { try await provider.loadObject(ofClass: Note.self) }
    }

    @Test func anErrorOfAReadingClassReachesTheConsumer() async {
        let provider = NSItemProvider(object: NSString(string: ""))
        await #expect(throws: CocoaError(.fileReadCorruptFile)) { try await provider.loadObject(ofClass: Note.self) }
    }

    @Test func stringsAreToldFromURLs() {
        let text = NSItemProvider(object: NSString(string: "words"))
        let url = NSItemProvider(object: website)
        #expect(text.canLoadObject(ofClass: String.self))
        #expect(!text.canLoadObject(ofClass: URL.self))
        #expect(url.canLoadObject(ofClass: URL.self))
        #expect(!url.canLoadObject(ofClass: String.self))
    }

    @Test func valuesBridgeToTheirClasses() async throws {
        let provider = NSItemProvider()
        provider.registerObject(ofClass: String.self, visibility: .all) { completion in
            completion("bridged", nil)
            return nil
        }
        #expect(provider.registeredTypeIdentifiers == ["public.utf8-plain-text"])
        #expect(try await provider.loadObject(ofClass: String.self) == "bridged")
        let string = await loaded { done in provider.loadObject(ofClass: String.self) { value, _ in done(value) } }
        #expect(string.value == "bridged")
        let object = await loaded { done in
            provider.loadObject(ofClass: NSString.self) { value, _ in done((value as? NSString).map { $0 as String }) }
        }
        #expect(object.value == "bridged")
        #expect(try await provider.loadObject(ofClass: Data.self) == Data("bridged".utf8))
    }

    @Test(arguments: [
        (UTType.utf16PlainText, Data([0x68, 0, 0x69, 0])),
        (.utf16ExternalPlainText, Data([0xFE, 0xFF, 0, 0x68, 0, 0x69])),
        (.utf8PlainText, Data("hi".utf8)), (.plainText, Data([0xFF, 0xFE, 0x68, 0, 0x69, 0])),
        (.plainText, Data([0xEF, 0xBB, 0xBF, 0x68, 0x69])), (.text, Data("hi".utf8)),
    ])
    func textIsDecodedByItsType(type: UTType, data: Data) throws {
        #expect(try NSString.object(withItemProviderData: data, typeIdentifier: type.identifier) as String == "hi")
    }

    @Test func bytesThatAreNotTheTextTheyClaimToBeAreRefused() {
        #expect(throws: NSError.self) {
            try NSString.object(withItemProviderData: Data([0xC3, 0x28]), typeIdentifier: "public.utf8-plain-text")
        }
        #expect(throws: NSError.self) {
            try NSString.object(withItemProviderData: Data([1]), typeIdentifier: "public.utf16-plain-text")
        }
        for bytes in [Data(), Data([0xFF, 0xFE]), Data("bplist00garbage".utf8)] {
            #expect(throws: NSError.self) {
                try NSURL.object(withItemProviderData: bytes, typeIdentifier: "public.url")
            }
        }
        #expect(throws: NSError.self) {
            try NSAttributedString.object(
                withItemProviderData: Data([1, 2]), typeIdentifier: "org.purvey.attributed-string")
        }
    }

    @Test func aURLArrivesFromItsBytesAndFromApplesPropertyList() throws {
        let plist = try PropertyListSerialization.data(
            fromPropertyList: ["a.html", "https://example.org/", [:]], format: .binary, options: 0)
        let url = try NSURL.object(withItemProviderData: plist, typeIdentifier: "public.url")
        #expect(url.absoluteString == "https://example.org/a.html")
    }

    @Test func mutableClassesAreMadeAsTheyWereAskedFor() throws {
        let data = Data("hi".utf8)
        let text = try NSMutableString.object(withItemProviderData: data, typeIdentifier: "public.text")
        text.append("!")
        #expect(text as String == "hi!")
        let bytes = try NSMutableData.object(withItemProviderData: data, typeIdentifier: "public.data")
        bytes.append(data)
        #expect(bytes.length == 4)
        let styled = try NSMutableAttributedString.object(withItemProviderData: data, typeIdentifier: "public.text")
        styled.append(NSAttributedString(string: "!"))
        #expect(styled.string == "hi!")
    }

    @Test func attributedTextKeepsTheAttributesAPropertyListCanHold() async throws {
        let key = NSAttributedString.Key(rawValue: "weight")
        let link = NSAttributedString.Key(rawValue: "link")
        let text = NSMutableAttributedString(string: "Hello world")
        text.addAttribute(key, value: 7, range: NSRange(location: 0, length: 5))
        text.addAttribute(
            link, value: try #require(URL(string: "https://a.org")), range: NSRange(location: 6, length: 5))
        text.addAttribute(
            NSAttributedString.Key(rawValue: "object"), value: NSObject(), range: NSRange(location: 0, length: 11))
        let provider = NSItemProvider(object: text)
        let arrived = try await provider.loadObject(ofClass: NSAttributedString.self)
        #expect(arrived.string == "Hello world")
        #expect(arrived.attribute(key, at: 2, effectiveRange: nil) as? Int == 7)
        #expect(arrived.attribute(link, at: 7, effectiveRange: nil) as? URL == URL(string: "https://a.org"))
        #expect(arrived.attribute(key, at: 7, effectiveRange: nil) == nil)
        #expect(try await provider.loadObject(ofClass: String.self) == "Hello world")
    }
}
