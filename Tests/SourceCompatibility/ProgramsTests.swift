import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct ProgramsTests {
    @Test func thePodcastIsDraggedAndDropped() async throws {
        let provider = NSItemProvider(object: PodcastModelData(collectionName: "a", feedURL: "b", artworkURL100: "c"))
        let podcast = try await provider.loadObject(ofClass: PodcastModelData.self)
        #expect(podcast.collectionName == "a")
        #expect(podcast.artworkUrl100 == "c")
    }

    @Test func theShareExtensionsLoopEnds() throws {
        let handler = ActionRequestHandler()
        handler.beginRequest(with: NSExtensionContext())
        #expect(handler.extensionContext == nil)
    }

    @Test func attachmentsOfEveryFormAreUnderstood() async throws {
        let url = try #require(URL(string: "https://example.org"))
        #expect(
            try await SharedContent.load(NSItemProvider(item: url as NSURL, typeIdentifier: "public.url")) == .link(url)
        )
        #expect(try await SharedContent.load(NSItemProvider(object: url as NSURL)) == .link(url))
        #expect(
            try await SharedContent.load(NSItemProvider(item: "t" as NSString, typeIdentifier: "public.plain-text"))
                == .text("t"))
        #expect(try await SharedContent.load(NSItemProvider(object: "t" as NSString)) == .text("t"))
        #expect(try await SharedContent.load(NSItemProvider()) == nil)
    }

    @Test func aFileIsCopiedThroughStreams() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("a.png")
        try Data(repeating: 7, count: 300_000).write(to: source)
        let target = folder.appendingPathComponent("b.png")
        try copyStream(from: source, to: target)
        #expect(try Data(contentsOf: target).count == 300_000)
        #expect(try Idioms.contentType(source) == .png)
        #expect(try Idioms.read(source).count == 300_000)
        #expect(!folder.appendingPathComponent("gone").startAccessingSecurityScopedResource())
    }

    @Test func recentDocumentsAreFoundAgain() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (document, renamed) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
        try Data("one".utf8).write(to: document)
        let recent = RecentDocuments()
        try recent.remember(document)
        try FileManager.default.moveItem(at: document, to: renamed)
        #expect(recent.open("a")?.path == renamed.path)
        #expect(recent.openOld("a")?.path == renamed.path)
        let alias = folder.appendingPathComponent("alias")
        try RecentDocuments.makeAlias(of: renamed, at: alias)
        #expect(try URL(resolvingAliasFileAt: alias).path == renamed.path)
        #expect(RecentDocuments.title(try URL.bookmarkData(withContentsOf: alias)) == "b")
        try keepVersion(of: renamed)
        #expect(NSFileVersion.otherVersionsOfItem(at: renamed)?.count == 1)
        #expect(try resolveConflicts(at: renamed) == 0)
        #expect(NSFileVersion.otherVersionsOfItem(at: renamed)?.isEmpty == true)
        try FileManager.default.removeItem(at: renamed)
        #expect(recent.open("a") == nil)
        #expect(recent.bookmarks.isEmpty)
    }

    @Test func theWalkthroughsProviderKeepsItsPromise() async throws {
        let provider = Idioms.provider(for: nil)
        #expect(provider.registeredTypeIdentifiers == ["public.plain-text", "public.json"])
        #expect(try await provider.loadDataRepresentation(for: .json) == Data("{}".utf8))
        let string = await withCheckedContinuation { continuation in
            provider.loadString { continuation.resume(returning: $0) }
        }
        #expect(string == "text")
    }

    @Test func theAddressFieldSeesWhatIsOnThePasteboard() async throws {
        let pasteboard = UIPasteboard.withUniqueName()
        let menu = PasteMenu(pasteboard)
        await withCheckedContinuation { continuation in menu.update { continuation.resume() } }
        #expect(!menu.canPasteAndGo && !menu.canPasteAndSearch)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                pasteboard.setItems([["public.utf8-plain-text": "https://example.org"]], options: [.localOnly: true])
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in menu.update { continuation.resume() } }
        #expect(menu.canPasteAndGo && !menu.canPasteAndSearch)
        let url = await withCheckedContinuation { continuation in menu.readURL { continuation.resume(returning: $0) } }
        #expect(url == URL(string: "https://example.org"))
        #expect(try await menu.values() == ("https://example.org", nil))
        #expect(try await menu.contacts().isEmpty)
    }

    @Test func smallThingsWorkAsTheyAreWritten() async throws {
        #expect(Idioms.progress().totalUnitCount == 0)
        #expect(Idioms.callWithErrorPointer() == 1)
        #expect(Idioms.olderTypes("png") == "public.image")
        Idioms.log(CocoaError(.fileNoSuchFile))
        let group = try #require(Idioms.group("group.com.example"))
        #expect(group.lastPathComponent == "group.com.example")
        try? FileManager.default.removeItem(at: group)
        for bad in ["", "..", "../x", "a/b", String(repeating: "g", count: 300)] { #expect(Idioms.group(bad) == nil) }
        #expect(try await Bookmark(title: "t").exported(as: .plainText) == Data("t".utf8))
    }

    @MainActor @Test func programsForTheMacCopyAndPaste() async throws {
        // With boards of this process, so that no daemon is started.
        let controller = ClipboardController(pasteboard: NSPasteboard(.general, PasteboardStore(LocalBoards())))
        controller.copyText("text")
        #expect(controller.pasteText() == "text" && controller.hasChanged && !controller.hasChanged)
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("a.txt")
        try Data("x".utf8).write(to: file)
        #expect(controller.copyFiles([file, folder]))
        #expect(controller.pasteFiles() == [file])
        controller.copyWithMarkup("text", html: "<b>text</b>")
        #expect(controller.kinds == ["public.html"] && controller.pasteAnything() == ["text"])
        controller.copyLater()
        controller.selection = "late"
        #expect(controller.pasteText() == "late")
        #expect(
            controller.pasteboard.propertyList(forType: .init("com.example.selection")) as? [String: String] == [
                "selection": "late"
            ])
        controller.pasteboard.clearContents()
        #expect(controller.pasteboard.writeObjects([Row(index: 3)]))
        let rows = controller.pasteboard.readObjects(forClasses: [Row.self]) as? [Row]
        #expect(rows?.map(\.index) == [3])
        let export = ExportController(contents: Data("png".utf8))
        controller.pasteboard.clearContents()
        #expect(controller.pasteboard.writeObjects([export.makePromise()]))
        let received = await withCheckedContinuation { continuation in
            receiveFiles(from: controller.pasteboard, at: folder, queue: OperationQueue()) {
                continuation.resume(returning: $0)
            }
        }
        #expect(received?.lastPathComponent == "Export.png")
    }
}
