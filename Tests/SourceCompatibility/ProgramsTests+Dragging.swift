import Foundation
import Testing
import UniformTypeIdentifiers

extension ProgramsTests {
    @MainActor @Test func photosAreDraggedAboutOnABoard() async throws {
        let board = PhotoBoard()
        board.photos = [PhotoBoard.Photo(name: "one"), PhotoBoard.Photo(name: "two")]
        let drag = try #require(DragOperation(UIDragInteraction(delegate: board), boards: LocalBoards()))
        #expect(drag.session.localContext as? PhotoBoard === board)
        let drop = try #require(DropOperation(UIDropInteraction(delegate: board), drag))
        // The item is found by its local object, so it is moved and not copied.
        #expect(drop.update().operation == .move && drop.update().isPrecise == false)
        #expect(await drop.perform() == .move)
        #expect(board.texts == ["one", "two"])
        #expect(board.photos.isEmpty)
        #expect(drop.session.progressIndicatorStyle == .none)
    }

    @MainActor @Test func picturesAndFilesAreDroppedOnABoard() async throws {
        let file = try TemporaryFile("letter.pdf", Data("%PDF-1.4".utf8))
        let source = Source([
            NSItemProvider(item: Pixel.png as NSData, typeIdentifier: "public.png"),
            try #require(NSItemProvider(contentsOf: file.url)),
        ])
        let board = PhotoBoard()
        let drag = try #require(DragOperation(UIDragInteraction(delegate: source), boards: LocalBoards()))
        let drop = try #require(DropOperation(UIDropInteraction(delegate: board), drag))
        #expect(drop.update().operation == .copy && drop.update().isPrecise)
        #expect(await drop.perform() == .copy)
        #expect(board.sizes == [CGSize(width: 1, height: 1)])
        while board.files.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(board.files == ["letter.pdf"])
    }

    @MainActor @Test func thePodcastIsDroppedOnItsSource() async throws {
        let source = PodcastSource()
        let drag = try #require(DragOperation(UIDragInteraction(delegate: source), boards: LocalBoards()))
        #expect(drag.session.items.first?.localObject is PodcastModelData)
        let drop = try #require(DropOperation(UIDropInteraction(delegate: source), drag))
        #expect(drop.update().operation == .move)
        #expect(await drop.perform() == .move)
        #expect(source.dropped == ["Show"])
    }

    @Test func copiedItemsArePasted() async throws {
        let name = UIPasteboard.Name(UUID().uuidString)
        // Outside Swift's task pool, because pasteboards block.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let board = Pasteboards(pasteboard: UIPasteboard(name, LocalBoards()))
                        try use(board)
                    })
            }
        }
    }

    private func use(_ board: Pasteboards) throws {
        let heard = DispatchSemaphore(value: 0)
        let observer = board.watch { _ in heard.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(board.paste() == nil)
        board.copy(" words\n")
        heard.wait()
        #expect(board.paste() == "words")
        let count = board.pasteboard.changeCount
        board.copyRich("<b>a</b>", "a")
        #expect(board.html() == "<b>a</b>")
        #expect(board.pasteboard.numberOfItems == 2 && board.pasteboard.changeCount > count)
        // The first item has no URL, although the second one has.
        #expect(board.paste() == nil && board.pasteboard.string == "a")
        #expect(board.pasteboard.urls?.map(\.absoluteString) == ["https://example.org"])
        board.copyOnce("secret")
        #expect(board.paste() == "secret" && board.html() == nil)
        let image = try #require(UIImage(data: Pixel.png))
        board.copy(image)
        #expect(board.paste() == "image 1.0")
        board.copy(NSItemProvider(object: "promised" as NSString))
        #expect(board.paste() == "promised")
        board.copy(data: Data("c,s,v".utf8), type: .commaSeparatedText)
        #expect(board.pasteboard.contains(pasteboardTypes: ["public.comma-separated-values-text"]))
        board.clear()
        #expect(board.paste() == nil && board.pasteboard.numberOfItems == 0)
    }
}

/// A source of drags from elsewhere.
@MainActor private final class Source: NSObject, UIDragInteractionDelegate {
    let providers: [NSItemProvider]

    init(_ providers: [NSItemProvider]) { self.providers = providers }

    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    {
        providers.map { UIDragItem(itemProvider: $0) }
    }
}
