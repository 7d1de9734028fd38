import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

@Suite struct RegistrationTests {
    private func offering(_ types: [UTType]) -> NSItemProvider {
        let provider = NSItemProvider()
        for type in types {
            provider.registerDataRepresentation(for: type) { completion in
                completion(Data(type.identifier.utf8), nil)
                return nil
            }
        }
        return provider
    }

    @Test func typesAreListedInOrderOfRegistration() {
        let provider = offering([.png, .jpeg, .tiff])
        #expect(provider.registeredTypeIdentifiers == ["public.png", "public.jpeg", "public.tiff"])
        #expect(provider.registeredContentTypes == [.png, .jpeg, .tiff])
    }

    @Test func aTypeRegisteredTwiceKeepsItsPlaceAndItsFirstHandler() async {
        let provider = offering([.png, .jpeg])
        provider.registerDataRepresentation(forTypeIdentifier: "PUBLIC.PNG", visibility: .all) { completion in
            completion(Data("second".utf8), nil)
            return nil
        }
        #expect(provider.registeredTypeIdentifiers == ["public.png", "public.jpeg"])
        #expect(await provider.data("public.png").data == Data("public.png".utf8))
    }

    @Test func conformanceIsAskedOfTheTypeHierarchy() {
        let provider = offering([.png])
        #expect(provider.hasItemConformingToTypeIdentifier("public.image"))
        #expect(provider.hasItemConformingToTypeIdentifier("public.data"))
        #expect(!provider.hasItemConformingToTypeIdentifier("public.jpeg"))
        #expect(!provider.hasItemConformingToTypeIdentifier("public.text"))
        #expect(provider.registeredContentTypes(conformingTo: .image) == [.png])
        #expect(provider.registeredContentTypes(conformingTo: .text).isEmpty)
    }

    @Test func anUndeclaredTypeConformsToItselfOnly() async {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "com.example.note", visibility: .all) { completion in
            completion(Data([1]), nil)
            return nil
        }
        #expect(provider.hasItemConformingToTypeIdentifier("com.example.note"))
        #expect(!provider.hasItemConformingToTypeIdentifier("public.data"))
        #expect(await provider.data("com.example.note").data == Data([1]))
    }

    @Test func fileOptionsNarrowTheAnswer() throws {
        let provider = offering([.png])
        provider.registerFileRepresentation(for: .pdf, openInPlace: true) { _ in nil }
        provider.registerFileRepresentation(for: .rtf) { _ in nil }
        #expect(provider.registeredTypeIdentifiers(fileOptions: .openInPlace) == ["com.adobe.pdf"])
        #expect(provider.registeredTypeIdentifiers(fileOptions: []).count == 3)
        #expect(provider.registeredContentTypesForOpenInPlace == [.pdf])
        #expect(provider.hasRepresentationConforming(toTypeIdentifier: "public.data", fileOptions: .openInPlace))
        #expect(!provider.hasRepresentationConforming(toTypeIdentifier: "public.image", fileOptions: .openInPlace))
    }

    @Test func aCopyHasTheSamePromisesAndGoesItsOwnWay() async throws {
        let provider = offering([.png])
        provider.suggestedName = "one"
        let copy = try #require(provider.copy() as? NSItemProvider)
        copy.suggestedName = "two"
        copy.registerDataRepresentation(for: .jpeg) { _ in nil }
        #expect(provider.registeredTypeIdentifiers == ["public.png"])
        #expect(provider.suggestedName == "one")
        #expect(copy.registeredTypeIdentifiers == ["public.png", "public.jpeg"])
        #expect(await copy.data("public.png").data == Data("public.png".utf8))
        #expect(copy != provider)
    }

    @Test func theClassCanBeSubclassedAndItsAnswersReplaced() {
        final class Mock: NSItemProvider {
            override var registeredTypeIdentifiers: [String] { ["public.movie"] }
            override func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions = []) -> [String] {
                registeredTypeIdentifiers
            }
            override func loadDataRepresentation(
                forTypeIdentifier typeIdentifier: String,
                completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
            ) -> Progress {
                completionHandler(Data("mock".utf8), nil)
                return Progress(totalUnitCount: 1)
            }
        }
        let mock = Mock()
        #expect(mock.hasItemConformingToTypeIdentifier("public.movie"))
        #expect(mock.registeredContentTypes == [.movie])
        _ = mock.loadDataRepresentation(for: .movie) { data, _ in #expect(data == Data("mock".utf8)) }
    }

    @Test func theDescriptionNamesTypesAndName() {
        let provider = offering([.png])
        provider.suggestedName = "Holiday"
        #expect(provider.description.contains("public.png"))
        #expect(provider.description.contains("Holiday"))
    }

    @Test func contentsOfAFileOffersItsTypeAndItsURL() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("picture.heic")
        let provider = try #require(NSItemProvider(contentsOf: file))
        #expect(provider.registeredTypeIdentifiers == ["public.heic", "public.file-url"])
        #expect(provider.suggestedName == "picture.heic")
        let url = try await provider.loadObject(ofClass: URL.self)
        #expect(url.lastPathComponent == "picture.heic")
    }

    @Test func contentsOfAWebURLOffersTheURLAlone() async throws {
        for address in ["https://example.org/a.png", "about:blank"] {
            let provider = try #require(NSItemProvider(contentsOf: URL(string: address)))
            #expect(provider.registeredTypeIdentifiers == ["public.url"])
            #expect(try await provider.loadObject(ofClass: URL.self).absoluteString == address)
        }
    }

    @Test func contentsOfNothingIsNoItem() {
        #expect(NSItemProvider(contentsOf: nil) == nil)
        #expect(NSItemProvider(contentsOf: URL(fileURLWithPath: "/nonexistent/file.png")) == nil)
    }

    @Test func theTypeOfAFileIsDeducedFromItsNameElseFromWhatItIs() throws {
        let scratch = try Scratch()
        func type(_ url: URL) -> String? {
            NSItemProvider(contentsOf: url, contentType: nil).registeredTypeIdentifiers.first
        }
        #expect(type(try scratch.file("a.png")) == "public.png")
        #expect(type(try scratch.tree()) == "public.folder")
        #expect(type(try scratch.file("picture", Data([0x89] + "PNG\r\n\u{1A}\n".utf8))) == "public.png")
    }

    @Test func rawValuesAndNamesAreThoseOfTheReference() {
        #expect(NSItemProvider.errorDomain == "NSItemProviderErrorDomain")
        #expect(NSItemProvider.ErrorCode.unavailableCoercionError.rawValue == -1200)
        #expect(NSItemProvider.ErrorCode.unexpectedValueClassError.rawValue == -1100)
        #expect(NSItemProvider.ErrorCode.itemUnavailableError.rawValue == -1000)
        #expect(NSItemProvider.ErrorCode.unknownError.rawValue == -1)
        #expect(NSItemProviderFileOptions(rawValue: 1) == .openInPlace)
        #expect(
            [NSItemProviderRepresentationVisibility.all, .team, .group, .ownProcess].map(\.rawValue) == [0, 1, 2, 3])
    }
}
