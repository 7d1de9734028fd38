import Conduit
import Exchange
import Foundation
import Images
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// The coercing interface with the provider in another process.
@Suite struct ItemsAcrossProcessesTests {
    private func load<Result: Sendable>(
        _ command: String, _ type: String, _ body: @Sendable (NSItemProvider, PeerProcess) async throws -> Result
    ) async throws -> Result {
        var results: [Result] = []
        try await PrivateDaemon.run { daemon in
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board item \(type) \(command)", "offered")
            let item = try #require(try await daemon.board().items().first)
            results.append(try await body(item, peer))
        }
        return try #require(results.first)
    }

    private func object(_ item: NSItemProvider, _ type: String) async throws -> Any {
        try await item.loadItem(forTypeIdentifier: type)
    }

    @Test func aStringArrivesAsAString() async throws {
        let text = try await load("text hello from afar", "public.text") { item, peer in
            let text = try await object(item, "public.text") as? String
            #expect(try await peer.hear("handler called for") == "any")
            // The data interface loads the same item as bytes.
            #expect(try await item.loadDataRepresentation(for: .text) == Data("hello from afar".utf8))
            #expect(try await peer.hear("handler called for") == "NSData")
            return text
        }
        #expect(text == "hello from afar")
    }

    @Test func aLoadOfAnItemThatNeverComesCanBeCancelled() async throws {
        try await PrivateDaemon.run { daemon in
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board item public.text never x", "offered")
            let waiting = Task {
                let item = try #require(try await daemon.board().items().first)
                _ = try await item.loadItem(forTypeIdentifier: "public.text")
            }
            _ = try await peer.hear("handler called for")
            waiting.cancel()
            let error = await #expect(throws: CocoaError.self) { try await waiting.value }
            #expect(error?.code == .userCancelled, "\(String(describing: error))")
        }
    }

    @Test func aLongStringArrivesWhole() async throws {
        let long = String(repeating: "word ", count: 20_000) + "end"
        let text = try await load("text \(long)", "public.text") { item, _ in
            try await object(item, "public.text") as? String
        }
        #expect(text == long)
    }

    @Test func aURLArrivesAsAURL() async throws {
        let url = try await load("url https://example.org/x", "public.url") { item, _ in
            try await object(item, "public.url") as? URL
        }
        #expect(url?.absoluteString == "https://example.org/x")
    }

    @Test func aPropertyListArrivesWithItsTypes() async throws {
        try await load("list words", "com.apple.property-list") { item, _ in
            let list = try #require(try await object(item, "com.apple.property-list") as? [String: Any])
            #expect(list["text"] as? String == "words")
            #expect(list["number"] as? Int == 7)
            #expect(list["truth"] as? Bool == true)
            #expect(list["real"] as? Double == 0.5)
            #expect(list["date"] as? Date == Date(timeIntervalSince1970: 86_400))
            let nested = try #require(list["list"] as? [Any])
            #expect(nested.first as? Data == Data([1, 2]))
            #expect((nested.last as? [String: Int]) == ["deep": -1])
        }
    }

    @Test func aFilesURLArrivesAsAFileThatThisProcessCanOpen() async throws {
        try await PrivateDaemon.run { daemon in
            let path = daemon.work + "/Letter.txt"
            try Data("Dear".utf8).write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board item public.plain-text file \(path)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let url = try #require(try await object(item, "public.plain-text") as? URL)
            #expect(url.path != path)
            #expect(url.lastPathComponent == "Letter.txt")
            #expect(try String(contentsOf: url, encoding: .utf8) == "Dear")
        }
    }

    @Test func aPictureArrivesAsAPicture() async throws {
        try await PrivateDaemon.run { daemon in
            let path = daemon.work + "/a.png"
            let data = try ImageCodec.encode(Data(repeating: 9, count: 40 * 30 * 4), width: 40, height: 30, as: .png)
            try data.write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board item public.png image \(path)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let image = try #require(try await object(item, "public.image") as? UIImage)
            #expect(image.size == CGSize(width: 40, height: 30))
            #expect(image.pngData() == data)
            let options = [NSItemProviderPreferredImageSizeKey: CGSize(width: 20, height: 20)]
            #expect((try await item.loadPreviewImage(options: options) as? UIImage)?.size.height == 15)
        }
    }

    @Test func aLoadHandlerIsToldWhatIsWantedAndHow() async throws {
        try await load("text words", "public.text") { item, peer in
            let options: [AnyHashable: Any] = [
                NSItemProviderPreferredImageSizeKey: CGSize(width: 20, height: 10), "hint": "small",
                "object": NSObject(),
            ]
            _ = try await item.loadItem(forTypeIdentifier: "public.text", options: options)
            #expect(try await peer.hear("handler called for") == "any")
            #expect(try await peer.hear("with") == "20.0 small and 2")
            #expect(await value(item, "public.text", as: Data.self) { $0 }.value == Data("words".utf8))
            #expect(try await peer.hear("handler called for") == "NSData")
        }
    }

    @Test func aPreviewIsTheOneThatItsProviderMakes() async throws {
        try await PrivateDaemon.run { daemon in
            let path = daemon.work + "/a.png"
            let data = try ImageCodec.encode(Data(repeating: 9, count: 40 * 30 * 4), width: 40, height: 30, as: .png)
            try data.write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer()
            let options: [AnyHashable: Any] = [
                NSItemProviderPreferredImageSizeKey: NSValue(size: CGSize(width: 20, height: 10)), "hint": "small",
            ]
            for kind in ["image", "file", "data"] {
                _ = try await peer.ask("offer \(kind) preview \(kind) \(path)", "offered")
                let item = try #require(try await daemon.board(kind).items().first)
                let preview: Any = try await item.loadPreviewImage(options: options)
                #expect(try await peer.hear("asked for") == "20x10 small")
                #expect((preview as? UIImage)?.pngData() ?? (preview as? Data) == data, "\(kind)")
            }
            for (kind, code) in [("odd", -1100), ("error", -1000)] {
                _ = try await peer.ask("offer \(kind) preview \(kind) \(path)", "offered")
                let item = try #require(try await daemon.board(kind).items().first)
                let error = await #expect(throws: NSError.self) { _ = try await item.loadPreviewImage() }
                #expect(error?.code == code, "\(kind)")
                #expect(try await peer.hear("asked for") == "0x0 no hint")
            }
        }
    }

    @Test func aPreviewIsForWhoSeesAllOfTheItem() async throws {
        try await PrivateDaemon.run { daemon in
            let path = daemon.work + "/a.png"
            let data = try ImageCodec.encode(Data(repeating: 9, count: 40 * 30 * 4), width: 40, height: 30, as: .png)
            try data.write(to: URL(fileURLWithPath: path))
            let peer = try daemon.peer()
            _ = try await peer.ask("offer partly preview partly \(path)", "offered")
            let item = try #require(try await daemon.board("partly").items().first)
            #expect(item.registeredTypeIdentifiers == ["public.utf8-plain-text"])
            #expect(item.previewImageHandler == nil)
            let error = await #expect(throws: NSError.self) { _ = try await item.loadPreviewImage() }
            #expect(error?.code == -1000)
        }
    }

    @Test func anErrorArrivesWithItsCause() async throws {
        let code = try await load("error", "public.text") { item, _ in
            do {
                _ = try await object(item, "public.text")
                return 0
            } catch {
                #expect((error as NSError).domain == NSItemProvider.errorDomain)
                return ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? -1
            }
        }
        #expect(code == 42)
    }

    private func value<Value, Result: Sendable>(
        _ item: NSItemProvider, _ type: String, as wanted: Value.Type, _ read: @escaping @Sendable (Value?) -> Result
    ) async -> (value: Result, error: NSError?) {
        await withCheckedContinuation { continuation in
            item.loadItem(forTypeIdentifier: type, as: wanted) { value, error in
                continuation.resume(returning: (read(value), error as NSError?))
            }
        }
    }

    private func isMixed(_ list: NSDictionary?) -> Bool {
        list?.count == 4 && list?["null"] is NSNull && (list?["url"] as? NSURL)?.path == "/file"
            && (list?["uuid"] as? NSUUID)?.uuidString == "01234567-89AB-CDEF-0123-456789ABCDEF"
            && (list?["list"] as? NSArray)?.count == 3
    }

    @Test func aDictionaryThatIsNoPropertyListArrivesAsItself() async throws {
        try await load("plain file", "com.apple.property-list") { item, _ in
            let untyped = try await object(item, "com.apple.property-list") as? NSDictionary
            #expect(isMixed(untyped))
            let list = await value(item, "com.apple.property-list", as: NSDictionary.self) { isMixed($0) }
            #expect(list.value && list.error == nil)
            #expect(await value(item, "com.apple.property-list", as: NSArray.self) { $0 == nil }.error?.code == -1200)
            // The archive yields the dictionary even when it was loaded as bytes.
            let archive = try await item.loadDataRepresentation(for: .propertyList)
            let copy = NSItemProvider(item: archive as NSData, typeIdentifier: "com.apple.property-list")
            #expect(await value(copy, "com.apple.property-list", as: NSDictionary.self) { isMixed($0) }.value)
        }
    }

    @Test func aValueOfFoundationArrivesAsItself() async throws {
        let uuid = try await load("plain uuid", "com.example.identifier") { item, _ in
            (try await object(item, "com.example.identifier") as? NSUUID)?.uuidString
        }
        #expect(uuid == "01234567-89AB-CDEF-0123-456789ABCDEF")
    }

    @Test func anObjectOfAnUnknownClassIsItsBytesOrAnError() async throws {
        let type = "com.example.identifier"
        try await load("own", type) { item, _ in
            let error = await #expect(throws: NSError.self) { _ = try await object(item, type) }
            #expect(error?.code == -1200)
            #expect(await value(item, type, as: NSDictionary.self) { $0 == nil }.error?.code == -1200)
            #expect(await value(item, type, as: NSArray.self) { $0 == nil }.error?.code == -1200)
            #expect(await value(item, type, as: String.self) { $0 == nil }.error?.code == -1200)
            #expect(await value(item, type, as: URL.self) { $0 == nil }.error?.code == -1200)
            let bytes = await value(item, type, as: Data.self) { $0 }.value
            #expect(bytes?.starts(with: Data("bplist00".utf8)) == true)
            let others = try await item.loadDataRepresentation(forTypeIdentifier: type)
            #expect(others.count == bytes?.count)
        }
    }

    /// Foundation crashes the process that archives an error.
    @Test func unarchivableObjectsAreAHarmlessError() async throws {
        try await load("unarchivable", "com.apple.property-list") { item, peer in
            for _ in 0..<2 {
                let error = await #expect(throws: NSError.self) {
                    _ = try await object(item, "com.apple.property-list")
                }
                #expect(error?.code == -1200)
                _ = try await peer.hear("handler called for")
            }
        }
    }

    @Test func aProviderThatEndsFailsTheLoad() async throws {
        try await PrivateDaemon.run { daemon in
            let peer = try daemon.peer()
            _ = try await peer.ask("offer board item public.text text a", "offered")
            let item = try #require(try await daemon.board().items().first)
            peer.signal(9)
            _ = await peer.wait()
            await #expect(throws: NSError.self) { _ = try await object(item, "public.text") }
        }
    }
}
