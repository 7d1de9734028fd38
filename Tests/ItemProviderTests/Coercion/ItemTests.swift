import FileCoordination
import Foundation
import Images
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct ItemTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Returns `Any`, because the compiler warns of a cast to a Swift type although it succeeds.
    private func item(_ provider: NSItemProvider, _ type: String) async throws -> Any {
        try await provider.loadItem(forTypeIdentifier: type)
    }

    private func code(_ body: () async throws -> Void) async -> NSItemProvider.ErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            let error = error as NSError
            guard error.domain == NSItemProvider.errorDomain else { return nil }
            return NSItemProvider.ErrorCode(rawValue: error.code)
        }
    }

    // MARK: - Stored items

    @Test func anItemArrivesAsItIsStored() async throws {
        let url = try #require(URL(string: "https://example.org/page"))
        let web = NSItemProvider(item: url as (any NSSecureCoding)?, typeIdentifier: "public.url")
        #expect(try await item(web, "public.url") as? URL == url)
        let text = NSItemProvider(item: "hello" as (any NSSecureCoding)?, typeIdentifier: "public.text")
        #expect(try await item(text, "public.text") as? String == "hello")
        let data = NSItemProvider(item: Data([1, 2]) as NSData, typeIdentifier: "public.data")
        #expect(try await item(data, "public.data") as? Data == Data([1, 2]))
        let results: NSDictionary = [NSExtensionJavaScriptPreprocessingResultsKey: ["title": "A page"]]
        let list = NSItemProvider(item: results, typeIdentifier: "com.apple.property-list")
        let loaded = try await item(list, "com.apple.property-list") as? [String: Any]
        #expect((loaded?[NSExtensionJavaScriptPreprocessingResultsKey] as? [String: String])?["title"] == "A page")
    }

    @Test func aSubtypeIsLoadedThroughItsSupertype() async throws {
        let provider = NSItemProvider(item: "hello" as NSString, typeIdentifier: UTType.utf8PlainText.identifier)
        #expect(provider.hasItemConformingToTypeIdentifier("public.text"))
        #expect(try await item(provider, "public.text") as? String == "hello")
        #expect(await code { _ = try await item(provider, "public.image") } == .itemUnavailableError)
    }

    @Test func withoutATypeTheClassesOwnIsTaken() throws {
        func types(_ item: any NSSecureCoding) -> [String] {
            NSItemProvider(item: item, typeIdentifier: nil).registeredTypeIdentifiers
        }
        #expect(types(NSString(string: "a")) == ["public.utf8-plain-text"])
        #expect(types(NSURL(fileURLWithPath: "/tmp")) == ["public.file-url"])
        #expect(types(try #require(NSURL(string: "https://example.org"))) == ["public.url"])
        #expect(types(NSData()) == ["public.data"])
        #expect(types(NSDictionary()) == ["com.apple.property-list"])
        #expect(types(NSUUID()) == [])
    }

    @Test func noItemFailsEveryLoad() async {
        let provider = NSItemProvider(item: nil, typeIdentifier: "public.text")
        #expect(provider.registeredTypeIdentifiers == ["public.text"])
        #expect(await code { _ = try await item(provider, "public.text") } == .itemUnavailableError)
        #expect(await provider.data("public.text").error?.isItemUnavailable == true)
        #expect(NSItemProvider(item: nil, typeIdentifier: nil).registeredTypeIdentifiers.isEmpty)
    }

    @Test func aWebAddressIsAURLAndNothingElse() async throws {
        for text in ["https://example.org", "about:blank"] {
            let url = try #require(URL(string: text))
            let provider = try #require(NSItemProvider(contentsOf: url))
            #expect(provider.registeredTypeIdentifiers == ["public.url"])
            #expect(try await item(provider, "public.url") as? URL == url)
            #expect(try await provider.loadObject(ofClass: URL.self) == url)
        }
    }

    @Test func aFileIsOfferedAsItsContentsAndAsItsURL() async throws {
        let file = try scratch.file("Letter.txt", "Dear")
        let provider = try #require(NSItemProvider(contentsOf: file))
        #expect(provider.registeredTypeIdentifiers == ["public.plain-text", "public.file-url"])
        #expect(try await item(provider, "public.file-url") as? URL == file)
        let loaded = try #require(try await item(provider, "public.plain-text") as? URL)
        #expect(loaded.lastPathComponent == "Letter.txt")
        #expect(try String(contentsOf: loaded, encoding: .utf8) == "Dear")
        #expect(try await provider.loadObject(ofClass: URL.self).lastPathComponent == "Letter.txt")
    }

    // MARK: - The two interfaces

    @Test func dataOfTheBinaryInterfaceIsDataHere() async throws {
        let provider = NSItemProvider(object: "text" as NSString)
        #expect(try await item(provider, "public.plain-text") as? Data == Data("text".utf8))
    }

    @Test func aFileOfTheBinaryInterfaceIsAURLThatStaysGoodWhileItsItemIsThere() async throws {
        let file = try scratch.file("a.txt", "alpha")
        func loadCopy() async throws -> URL {
            let provider = NSItemProvider(contentsOf: file, contentType: .plainText)
            let copy = try #require(try await item(provider, "public.plain-text") as? URL)
            #expect(copy != file)
            #expect(try String(contentsOf: copy, encoding: .utf8) == "alpha")
            return copy
        }
        let copy = try await loadCopy()
        try await untilGone(copy.path)
        let inPlace = NSItemProvider(contentsOf: file, contentType: .plainText, openInPlace: true)
        #expect(try await item(inPlace, "public.plain-text") as? URL == file)
    }

    @Test func itemsAreBytesToTheBinaryInterface() async throws {
        func bytes(_ item: any NSSecureCoding, _ type: String) async -> Data? {
            await NSItemProvider(item: item, typeIdentifier: type).data(type).data
        }
        #expect(await bytes("héllo" as NSString, "public.text") == Data("héllo".utf8))
        #expect(await bytes("hé" as NSString, "public.utf16-plain-text") == Data([0xFF, 0xFE, 0x68, 0, 0xE9, 0]))
        #expect(await bytes(NSData(data: Data([7])), "public.data") == Data([7]))
        let url = try #require(NSURL(string: "https://example.org"))
        #expect(await bytes(url, "public.url") == Data("https://example.org".utf8))
        let file = try scratch.file("a.txt", "alpha")
        #expect(await bytes(file as NSURL, "public.plain-text") == Data("alpha".utf8))
        #expect(await bytes(file as NSURL, "public.file-url") == file.dataRepresentation)
        let list = try #require(await bytes(["a": 1] as NSDictionary, "com.apple.property-list"))
        #expect(try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Int] == ["a": 1])
        #expect(await bytes(NSAttributedString(string: "rich"), "public.plain-text") == Data("rich".utf8))
        let wrapper = FileWrapper(regularFileWithContents: Data("w".utf8))
        #expect(await bytes(wrapper, "public.data") == Data("w".utf8))
    }

    @Test func aFolderOfFileWrappersIsAFolder() async throws {
        let wrapper = FileWrapper(directoryWithFileWrappers: [
            "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8))
        ])
        wrapper.preferredFilename = "Notes"
        let provider = NSItemProvider(item: wrapper, typeIdentifier: "public.folder")
        let copy = await provider.copy("public.folder")
        #expect(copy.isDirectory)
        #expect(copy.name == "Notes")
        #expect(copy.names == ["a.txt"])
        #expect(await provider.data("public.folder").data?.starts(with: Data("PK".utf8)) == true)
    }

    @Test func anItemArrivesAsAFileUnderItsName() async {
        let provider = NSItemProvider(item: NSData(data: Data("x".utf8)), typeIdentifier: "public.png")
        provider.suggestedName = "Picture"
        let file = await provider.copy("public.png")
        #expect(file.name == "Picture.png")
        #expect(file.contents == Data("x".utf8))
    }

    // MARK: - Load handlers

    @Test func aLoadHandlerIsToldWhatIsWanted() async throws {
        let asked = Mutex<[String]>([])
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { completion, wanted, options in
            asked.withLock { $0.append("\(wanted.map { "\($0)" } ?? "any") \(options?["key"] ?? "-")") }
            completion?("value" as NSString, nil)
        }
        _ = try await provider.loadItem(forTypeIdentifier: "public.text", options: ["key": "option"])
        _ = await provider.data("public.text")
        await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.text", as: String.self) { _, _ in continuation.resume() }
        }
        #expect(asked.withLock { $0 } == ["any option", "NSData -", "NSString -"])
    }

    @Test func aHandlerThatCallsTwiceIsHeardOnce() async throws {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { completion, _, _ in
            completion?("first" as NSString, nil)
            completion?("second" as NSString, nil)
            completion?(nil, CocoaError(.fileNoSuchFile))
        }
        #expect(try await item(provider, "public.text") as? String == "first")
    }

    @Test func neitherValueNorErrorAndAnErrorAreErrors() async {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { completion, _, _ in completion?(nil, nil) }
        provider.registerItem(forTypeIdentifier: "public.image") { completion, _, _ in
            completion?(nil, CocoaError(.fileNoSuchFile))
        }
        #expect(await code { _ = try await item(provider, "public.text") } == .unknownError)
        do {
            _ = try await item(provider, "public.image")
            Issue.record("it loaded")
        } catch {
            #expect((error as NSError).isItemUnavailable)
            #expect((error as NSError).underlying?.code == CocoaError.fileNoSuchFile.rawValue)
        }
    }

    @Test func aLoadWithoutAHandlerRunsTheLoadAllTheSame() async {
        await withCheckedContinuation { continuation in
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.text") { completion, _, _ in
                completion?("value" as NSString, nil)
                continuation.resume()
            }
            provider.loadItem(forTypeIdentifier: "public.text")
        }
    }

    @Test func subclassesMayAnswerThemselves() async throws {
        final class Mock: NSItemProvider {
            override var registeredTypeIdentifiers: [String] { ["public.url"] }
            override func loadItem(
                forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]?,
                completionHandler: CompletionHandler?
            ) {
                completionHandler?("mocked" as NSString, nil)
            }
        }
        let mock: NSItemProvider = Mock()
        #expect(try await item(mock, "public.url") as? String == "mocked")
    }

    @Test func waitingForAnItemThatNeverComesCanBeCancelled() async throws {
        let item = Task {
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { _, _, _ in }
            _ = try await provider.loadItem(forTypeIdentifier: "public.url")
        }
        let preview = Task {
            let provider = NSItemProvider()
            provider.previewImageHandler = { _, _, _ in }
            _ = try await provider.loadPreviewImage()
        }
        for waiting in [item, preview] {
            waiting.cancel()
            let error = await #expect(throws: CocoaError.self) { try await waiting.value }
            #expect(error?.code == .userCancelled)
        }
    }

    @Test func aPreviewThatIsMadeOfAPictureIsCancelledWithItsLoad() async throws {
        let isAsked = Mutex(false)
        let isCancelled = Mutex(false)
        let made = Task {
            let picture = NSItemProvider()
            picture.registerDataRepresentation(for: .png) { _ in
                isAsked.withLock { $0 = true }
                let progress = Progress(totalUnitCount: 1)
                progress.cancellationHandler = { isCancelled.withLock { $0 = true } }
                return progress
            }
            _ = try await picture.loadPreviewImage()
        }
        try await until { isAsked.withLock { $0 } }
        made.cancel()
        await #expect(throws: CocoaError.self) { try await made.value }
        try await until { isCancelled.withLock { $0 } }
    }
}
