import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Types that a program creates with a supertype, without declaring them in an `Info.plist`.
@Suite struct UndeclaredTypeTests {
    private let type = UTType(exportedAs: "org.example.undeclared", conformingTo: .png)

    private func provider() -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: type) { completion in
            completion(Data("x".utf8), nil)
            return nil
        }
        return provider
    }

    @Test func itIsAmongTheRegisteredTypes() {
        #expect(provider().registeredContentTypes == [type])
        #expect(provider().registeredContentTypes(conformingTo: .data) == [type])
        #expect(provider().registeredContentTypes(conformingTo: .text).isEmpty)
        let copy = provider().copy() as? NSItemProvider
        #expect(copy?.registeredContentTypes == [type])
    }

    @Test func itIsFoundAndLoadedByWhatItConformsTo() async {
        #expect(provider().hasItemConformingToTypeIdentifier("public.image"))
        #expect(await provider().data("public.data").data == Data("x".utf8))
        #expect(await provider().copy("public.png").name.hasSuffix(".png"))
    }

    @Test func itMayBeOpenedInPlace() {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: type, openInPlace: true) { _ in nil }
        #expect(provider.registeredContentTypesForOpenInPlace == [type])
    }

    @Test func anIdentifierAloneHasNoType() {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "org.example.unknown", visibility: .all) { _ in nil }
        #expect(provider.registeredContentTypes.isEmpty)
    }
}

/// An item provider whose methods a subclass overrides.
private final class Replaced: NSItemProvider, @unchecked Sendable {
    let file: URL

    init(_ file: URL) {
        self.file = file
        super.init()
    }

    override var registeredTypeIdentifiers: [String] { ["public.png", "public.jpeg"] }

    override func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        completionHandler(Data("replaced".utf8), nil)
        return Progress.discreteProgress(totalUnitCount: 1)
    }

    override func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> Progress {
        completionHandler(file, nil)
        return Progress.discreteProgress(totalUnitCount: 1)
    }

    override func loadObject(
        ofClass aClass: any NSItemProviderReading.Type,
        completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
    ) -> Progress {
        completionHandler("replaced" as NSString, nil)
        return Progress.discreteProgress(totalUnitCount: 1)
    }
}

@Suite struct SubclassTests {
    @Test func overridesOfASubclassServeEveryForm() async throws {
        let scratch = try Scratch()
        let provider = Replaced(try scratch.file("replaced.txt", "file"))
        #expect(provider.hasItemConformingToTypeIdentifier("public.image"))
        #expect(provider.registeredTypeIdentifiers(fileOptions: []) == ["public.png", "public.jpeg"])
        #expect(provider.registeredContentTypes == [.png, .jpeg])
        #expect(try await provider.loadDataRepresentation(for: .png) == Data("replaced".utf8))
        #expect(try await provider.loadDataRepresentation(forTypeIdentifier: "x") == Data("replaced".utf8))
        let text: NSString = try await provider.loadObject(ofClass: NSString.self)
        #expect(text == "replaced")
        #expect(try await provider.loadObject(ofClass: String.self) == "replaced")
        let file = try await provider.loadFileRepresentation(for: .png) { url, isInPlace in
            #expect(!isInPlace)
            #expect(url != provider.file)
            return try Data(contentsOf: url)
        }
        #expect(file == Data("file".utf8))
    }
}
