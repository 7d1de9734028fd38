import Foundation
import Testing
import UniformTypeIdentifiers

extension ProgramsTests {
    private static func item(_ attachments: [NSItemProvider]) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: "words")
        item.attachments = attachments
        return item
    }

    @MainActor @Test func aShareControllerLoadsWhatItIsHanded() async throws {
        let file = try TemporaryFile("p.png", Pixel.png)
        let controller = ShareController()
        let context = MockExtensionContext()
        context.items = [
            Self.item([
                NSItemProvider(item: file.url as NSURL, typeIdentifier: "public.png"),
                NSItemProvider(item: Pixel.png as NSData, typeIdentifier: "public.png"),
                NSItemProvider(item: URL(string: "https://example.org")! as NSURL, typeIdentifier: "public.url"),
                NSItemProvider(object: "text" as NSString),
            ])
        ]
        controller.extensionContext = context
        await withCheckedContinuation { done in controller.loadAttachments { done.resume() } }
        #expect(controller.message == "words")
        #expect(controller.images == [Pixel.png, Pixel.png])
        #expect(controller.urls == [URL(string: "https://example.org")!])
        #expect(controller.texts == ["text"])
        controller.didSelectPost()
        #expect(context.isComplete)
        controller.didSelectCancel()
        #expect((context.cancellation as NSError?)?.localizedDescription == "cancelled")
        controller.openHost(file.url)
    }

    @MainActor @Test func aShareControllerIsHandedNothing() async {
        let controller = ShareController()
        await withCheckedContinuation { done in controller.loadAttachments { done.resume() } }
        controller.extensionContext = NSExtensionContext()
        await withCheckedContinuation { done in controller.loadAttachments { done.resume() } }
        let context = MockExtensionContext()
        context.items = [NSExtensionItem()]
        controller.extensionContext = context
        await withCheckedContinuation { done in controller.loadAttachments { done.resume() } }
        #expect(controller.images.isEmpty && controller.message.isEmpty)
    }

    @MainActor @Test func anAsynchronousControllerLoadsOnItsOwnActor() async throws {
        let url = try #require(URL(string: "https://example.org/a"))
        let context = MockExtensionContext()
        context.items = [
            Self.item([NSItemProvider(item: url as NSURL, typeIdentifier: "public.url"), NSItemProvider()]),
            Self.item([]),
        ]
        let controller = AsyncShareController()
        await controller.handle(context)
        #expect(controller.links == [url])
        #expect(controller.failures.count == 1)
        #expect(context.isComplete)
        let page = NSItemProvider(
            item: [NSExtensionJavaScriptPreprocessingResultsKey: ["title": "Page"]] as NSDictionary,
            typeIdentifier: "com.apple.property-list")
        #expect(await controller.page(page) == "Page")
        #expect(await controller.page(NSItemProvider()) == nil)
    }

    @Test func aPagesScriptGetsItsArgument() async throws {
        let handler = ActionRequestHandler()
        let context = MockExtensionContext()
        handler.extensionContext = context
        handler.doneWithResults(["color": "red"])
        let provider = try #require(context.returned.first?.attachments?.first)
        let item = try await provider.loadItem(forTypeIdentifier: "com.apple.property-list") as? NSDictionary
        let argument = item?[NSExtensionJavaScriptFinalizeArgumentKey] as? [String: Any]
        #expect(argument?["color"] as? String == "red")
    }

    @Test func handlersAndContinuationsMeet() async throws {
        let provider = NSItemProvider(object: "text" as NSString)
        #expect(try await AttachmentLoader.load(provider, .plainText) == Data("text".utf8))
        await #expect(throws: NSError.self) { try await AttachmentLoader.load(NSItemProvider(), .png) }
        provider.registerDataRepresentation(for: UTType("com.apple.live-photo-bundle") ?? .livePhoto) { _ in nil }
        #expect(AttachmentLoader.types(of: provider) == [.utf8PlainText])
    }

    @Test func aProviderAndAContextAreMocked() async throws {
        let mock = MockItemProvider()
        mock.types = ["public.url", "public.plain-text"]
        mock.item = "mocked" as NSString
        #expect(try await SharedContent.load(mock) == .text("mocked"))
        #expect(mock.asked.contains("public.url"))
        #expect(mock.copy() as? MockItemProvider === mock)
        #expect(mock == mock && mock != MockItemProvider())
        #expect(!mock.canLoadObject(ofClass: NSString.self))
    }

    @Test func theAsynchronousFormsAreMockedToo() async throws {
        let mock: NSItemProvider = AsyncMockItemProvider()
        #expect(try await mock.loadItem(forTypeIdentifier: "public.url") as? String == "public.url")
        #expect(try await mock.loadPreviewImage() as? String == "preview")
        let context: NSExtensionContext = MockExtensionContext()
        #expect(try await context.open(#require(URL(string: "example://a"))))
        #expect(try await !context.open(#require(URL(string: "https://example.org"))))
    }
}

/// A file in a temporary directory of its own, removed with this object.
final class TemporaryFile: Sendable {
    let url: URL
    var folder: URL { url.deletingLastPathComponent() }

    init(_ name: String, _ data: Data) throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent(name)
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// A picture of one pixel.
enum Pixel {
    static let png =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        ?? Data()
}
