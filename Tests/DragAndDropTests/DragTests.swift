import DragAndDrop
import Foundation
import ItemProvider
import Testing

/// A delegate that records its calls, and replies as the test requires.
@MainActor private final class Desk: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    var items: [UIDragItem] = []
    var allowsMove = true
    var isRestricted = false
    var proposal = UIDropOperation.copy
    var told: [String] = []
    var loaded: [String] = []

    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    {
        session.localContext = "context"
        return items
    }
    func dragInteraction(_ interaction: UIDragInteraction, sessionWillBegin session: any UIDragSession) {
        told.append("begin")
    }
    func dragInteraction(
        _ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession
    ) -> Bool { allowsMove }
    func dragInteraction(
        _ interaction: UIDragInteraction, sessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool { isRestricted }
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidMove session: any UIDragSession) {
        told.append("move")
    }
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, willEndWith operation: UIDropOperation
    ) { told.append("willEnd \(operation)") }
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation
    ) { told.append("didEnd \(operation)") }
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession) {
        told.append("transferred")
    }

    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: any UIDropSession) -> Bool {
        session.hasItemsConforming(toTypeIdentifiers: ["public.text"])
    }
    func dropInteraction(_ interaction: UIDropInteraction, sessionDidEnter session: any UIDropSession) {
        told.append("enter")
    }
    func dropInteraction(
        _ interaction: UIDropInteraction, sessionDidUpdate session: any UIDropSession
    ) -> UIDropProposal { UIDropProposal(operation: proposal) }
    func dropInteraction(_ interaction: UIDropInteraction, sessionDidExit session: any UIDropSession) {
        told.append("exit")
    }
    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: any UIDropSession) {
        told.append("perform")
        _ = session.loadObjects(ofClass: String.self) { self.loaded = $0 }
    }
    func dropInteraction(_ interaction: UIDropInteraction, concludeDrop session: any UIDropSession) {
        told.append("conclude")
    }
    func dropInteraction(_ interaction: UIDropInteraction, sessionDidEnd session: any UIDropSession) {
        told.append("end")
    }
}

/// A delegate that implements only what is required.
@MainActor private final class Bare: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    {
        [UIDragItem(itemProvider: NSItemProvider(object: "bare" as NSString))]
    }
}

@MainActor @Suite struct DragTests {
    private func text(_ text: String) -> UIDragItem {
        UIDragItem(itemProvider: NSItemProvider(object: text as NSString))
    }

    @Test func aDragGoesFromBeginningToEnd() async throws {
        let desk = Desk()
        desk.items = [text("one"), text("two")]
        desk.items[0].localObject = 7
        let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: LocalBoards()))
        #expect(drag.session.localContext as? String == "context")
        drag.move()
        let drop = try #require(DropOperation(UIDropInteraction(delegate: desk), drag))
        #expect(drop.session.localDragSession === drag.session)
        #expect(drop.session.items.first?.localObject as? Int == 7)
        #expect(drop.session.canLoadObjects(ofClass: String.self))
        #expect(!drop.session.canLoadObjects(ofClass: URL.self))
        #expect(drop.session.progressIndicatorStyle == .default)
        #expect(drop.update().operation == .copy)
        drop.exit()
        #expect(await drop.perform() == .copy)
        #expect(desk.loaded == ["one", "two"])
        #expect(drop.session.progress.isFinished)
        #expect(
            desk.told == [
                "begin", "move", "enter", "exit", "enter", "perform", "conclude", "willEnd copy", "didEnd copy",
                "transferred", "end",
            ])
        // The drag ends only once.
        drag.end(.move)
        #expect(desk.told.count == 11)
    }

    @Test func aMoveNeedsTheSourcesLeave() async throws {
        let desk = Desk()
        desk.items = [text("one")]
        desk.proposal = .move
        desk.allowsMove = false
        let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: LocalBoards()))
        #expect(!drag.session.allowsMoveOperation)
        let drop = try #require(DropOperation(UIDropInteraction(delegate: desk), drag))
        #expect(drop.update().operation == .cancel)
        #expect(await drop.perform() == .cancel)
        #expect(desk.told.suffix(3) == ["willEnd cancel", "didEnd cancel", "end"])
        #expect(desk.loaded.isEmpty)
    }

    @Test func aDragThatHasEndedLeavesTheBoard() async throws {
        let boards = LocalBoards()
        let desk = Desk()
        desk.items = [text("one")]
        let destination = UIDropInteraction(delegate: desk)
        for isDropped in [true, false] {
            let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: boards))
            try drag.publish()
            #expect(boards.items(of: DragOperation.board).count == 2)
            if isDropped {
                #expect(await DropOperation(destination, drag)?.perform() == .copy)
            } else {
                drag.end(.cancel)
            }
            #expect(boards.items(of: DragOperation.board).isEmpty)
            #expect(try await DropOperation.remote(destination, boards: boards) == nil)
            #expect(DropOperation(destination, drag) == nil)
        }
        var drag = DragOperation(UIDragInteraction(delegate: desk), boards: boards)
        try drag?.publish()
        drag = nil
        for _ in 0..<60_000 where !boards.items(of: DragOperation.board).isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(boards.items(of: DragOperation.board).isEmpty)
    }

    @Test func aDragThatHasEndedTakesNoNewerOneAlong() throws {
        let boards = LocalBoards()
        let desk = Desk()
        desk.items = [text("one")]
        let old = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: boards))
        try old.publish()
        let new = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: boards))
        try new.publish()
        old.end(.cancel)
        #expect(boards.items(of: DragOperation.board).count == 2)
        new.end(.cancel)
        #expect(boards.items(of: DragOperation.board).isEmpty)
    }

    @Test func oneOfTwoDestinationsHasTheDrop() async throws {
        let boards = LocalBoards()
        let desk = Desk()
        desk.items = [text("one")]
        desk.proposal = .move
        let destination = UIDropInteraction(delegate: desk)
        let drag = try #require(
            DragOperation(UIDragInteraction(delegate: desk), boards: boards, grace: .milliseconds(1)))
        try drag.publish()
        let first = try #require(await DropOperation.remote(destination, boards: boards))
        let second = try #require(await DropOperation.remote(destination, boards: boards))
        // A drop from another program is always a copy, regardless of the delegate's proposal.
        #expect(first.session.allowsMoveOperation)
        #expect(await first.perform() == .copy)
        #expect(await second.perform() == .cancel)
        #expect(desk.told.filter { $0.hasPrefix("didEnd") } == ["didEnd copy"])
        #expect(try await DropOperation.remote(destination, boards: boards) == nil)
        for _ in 0..<60_000 where !boards.items(of: DragOperation.board).isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(boards.items(of: DragOperation.board).isEmpty)
    }

    @Test func thereIsNoDragWithoutItemsAndNoDropWithoutInterest() throws {
        let desk = Desk()
        let interaction = UIDragInteraction(delegate: desk)
        #expect(DragOperation(interaction, boards: LocalBoards()) == nil)
        desk.items = [UIDragItem(itemProvider: NSItemProvider(item: NSData(), typeIdentifier: "public.png"))]
        let drag = try #require(DragOperation(interaction, boards: LocalBoards()))
        #expect(DropOperation(UIDropInteraction(delegate: desk), drag) == nil)
        interaction.isEnabled = false
        #expect(DragOperation(interaction, boards: LocalBoards()) == nil)
        #expect(UIDragInteraction.isEnabledByDefault)
    }

    @Test func delegatesNeedNotAnswer() async throws {
        let bare = Bare()
        let drag = try #require(DragOperation(UIDragInteraction(delegate: bare), boards: LocalBoards()))
        #expect(drag.session.allowsMoveOperation)
        #expect(!drag.session.isRestrictedToDraggingApplication)
        let drop = try #require(DropOperation(UIDropInteraction(delegate: bare), drag))
        #expect(await drop.perform() == .cancel)
    }

    @Test func aRestrictedDragIsNotSeenElsewhere() async throws {
        let boards = LocalBoards()
        let desk = Desk()
        desk.items = [text("one")]
        desk.isRestricted = true
        let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: boards))
        try drag.publish()
        #expect(boards.items(of: DragOperation.board).isEmpty)
        desk.isRestricted = false
        let open = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: boards))
        try open.publish()
        let drop = try #require(try await DropOperation.remote(UIDropInteraction(delegate: desk), boards: boards))
        #expect(drop.session.localDragSession == nil)
        #expect(drop.session.allowsMoveOperation)
        #expect(await drop.perform() == .copy)
        #expect(desk.loaded == ["one"])
        #expect(desk.told.contains("didEnd copy"))
    }

    @Test func loadingNothingCompletesAllTheSame() async throws {
        let desk = Desk()
        desk.items = [text("one")]
        let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: LocalBoards()))
        let drop = try #require(DropOperation(UIDropInteraction(delegate: desk), drag))
        let urls = await withCheckedContinuation { continuation in
            _ = drop.session.loadObjects(ofClass: URL.self) { continuation.resume(returning: $0) }
        }
        #expect(urls.isEmpty)
    }

    @Test func proposalsAreCopied() throws {
        let proposal = UIDropProposal(operation: .move)
        proposal.isPrecise = true
        let copy = try #require(proposal.copy() as? UIDropProposal)
        #expect(copy.operation == .move && copy.isPrecise && !copy.prefersFullSizePreview)
        #expect([UIDropOperation.cancel, .forbidden, .copy, .move].map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test func aPasteConfigurationTakesTypesAndWhatClassesRead() {
        let configuration = UIPasteConfiguration(forAccepting: NSString.self)
        #expect(configuration.acceptableTypeIdentifiers == NSString.readableTypeIdentifiersForItemProvider)
        configuration.addTypeIdentifiers(forAccepting: NSString.self)
        configuration.addTypeIdentifiers(forAccepting: URL.self)
        #expect(configuration.acceptableTypeIdentifiers.contains("public.url"))
        #expect(
            UIPasteConfiguration(forAccepting: URL.self).acceptableTypeIdentifiers == ["public.file-url", "public.url"])
        let field = Field()
        #expect(!field.canPaste([NSItemProvider(object: "a" as NSString)]))
        field.pasteConfiguration = UIPasteConfiguration(acceptableTypeIdentifiers: ["public.text"])
        field.pasteConfiguration?.addAcceptableTypeIdentifiers(["public.text", "public.png"])
        #expect(field.pasteConfiguration?.acceptableTypeIdentifiers == ["public.text", "public.png"])
        #expect(field.canPaste([NSItemProvider(object: "a" as NSString)]))
        #expect(!field.canPaste([NSItemProvider(item: NSData(), typeIdentifier: "public.jpeg")]))
        #expect(!field.canPaste([]))
        field.paste(itemProviders: [])
        #expect(UIPasteConfiguration().acceptableTypeIdentifiers.isEmpty)
    }

    @Test func itemsAndProposalsOfOnesOwnClassSayTheirOwn() async throws {
        let desk = Desk()
        desk.items = [OwnItem(itemProvider: NSItemProvider())]
        let drag = try #require(DragOperation(UIDragInteraction(delegate: desk), boards: LocalBoards()))
        #expect(drag.session.canLoadObjects(ofClass: String.self))
        #expect(OwnProposal(operation: .copy).operation == .forbidden)
    }

    private final class OwnItem: UIDragItem {
        override var itemProvider: NSItemProvider { NSItemProvider(object: "own" as NSString) }
    }

    private final class OwnProposal: UIDropProposal {
        override var operation: UIDropOperation { .forbidden }
    }

    @Test func aPasteConfigurationIsCopiedAndArchived() throws {
        let configuration = UIPasteConfiguration(acceptableTypeIdentifiers: ["public.text", "public.png"])
        let copy = try #require(configuration.copy() as? UIPasteConfiguration)
        copy.addAcceptableTypeIdentifiers(["public.url"])
        #expect(configuration.acceptableTypeIdentifiers == ["public.text", "public.png"])
        #expect(copy.acceptableTypeIdentifiers == ["public.text", "public.png", "public.url"])
        #expect(UIPasteConfiguration.supportsSecureCoding)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: UIPasteConfiguration.self, from: archive)
        #expect(read?.acceptableTypeIdentifiers == copy.acceptableTypeIdentifiers)
    }

    private final class Field: NSObject, UIPasteConfigurationSupporting, UIItemProviderPresentationSizeProviding {
        var pasteConfiguration: UIPasteConfiguration?
        let preferredPresentationSizeForItemProvider = CGSize(width: 3, height: 4)
    }

    @Test func anItemSaysHowItWouldLikeToBeShown() {
        let provider = NSItemProvider()
        #expect(provider.preferredPresentationStyle == .unspecified)
        #expect(provider.preferredPresentationSize == .zero)
        provider.preferredPresentationStyle = .attachment
        provider.preferredPresentationSize = Field().preferredPresentationSizeForItemProvider
        #expect(provider.preferredPresentationStyle == .attachment)
        #expect(provider.preferredPresentationSize == CGSize(width: 3, height: 4))
        let styles: [NSItemProvider.PreferredPresentationStyle] = [.unspecified, .inline, .attachment]
        #expect(styles.map(\.rawValue) == [0, 1, 2])
    }

    @Test func bothSidesOfADragSeeWhatItIsAbout() async throws {
        let desk = Desk()
        desk.items = [text("one")]
        desk.isRestricted = true
        let source = UIDragInteraction(delegate: desk)
        #expect(source.delegate === desk && !source.allowsSimultaneousRecognitionDuringLift)
        let destination = UIDropInteraction(delegate: desk)
        #expect(destination.delegate === desk && !destination.allowsSimultaneousDropSessions)
        let drag = try #require(DragOperation(source, boards: LocalBoards()))
        let drop = try #require(DropOperation(destination, drag))
        let session: any UIDropSession = drop.session
        let reporting: any ProgressReporting = session
        #expect(reporting.progress === drop.session.progress)
        let sides: [any UIDragDropSession] = [drag.session, session]
        for side in sides {
            #expect(side.items.first?.itemProvider.registeredTypeIdentifiers == ["public.utf8-plain-text"])
            let allowed = (side.allowsMoveOperation, side.isRestrictedToDraggingApplication)
            #expect(allowed == (true, true))
            let readable = (side.canLoadObjects(ofClass: NSString.self), side.canLoadObjects(ofClass: NSURL.self))
            #expect(readable == (true, false))
        }
        #expect(session.localDragSession === drag.session)
        session.progressIndicatorStyle = .none
        let style: UIDropSessionProgressIndicatorStyle = session.progressIndicatorStyle
        #expect(style.rawValue == 0)
        let loaded = await withCheckedContinuation { continuation in
            _ = session.loadObjects(ofClass: NSString.self) { objects in
                continuation.resume(returning: objects.compactMap { ($0 as? NSString) as String? })
            }
        }
        #expect(loaded == ["one"])
    }
}
