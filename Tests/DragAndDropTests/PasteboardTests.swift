import DragAndDrop
import FileCoordination
import Foundation
import Images
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct PasteboardTests {
    private let boards = LocalBoards()
    /// Unique to each test, because all tests receive the notifications.
    private let name = UIPasteboard.Name(UUID().uuidString)

    private var pasteboard: UIPasteboard { UIPasteboard(name, boards) }

    /// Runs a function outside Swift's task pool, because pasteboards block.
    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    @Test func theUsualValuesGoThereAndBack() async throws {
        let pasteboard = pasteboard
        try await blocking {
            #expect(pasteboard.string == nil && pasteboard.strings == nil && pasteboard.numberOfItems == 0)
            pasteboard.string = "text"
            #expect(pasteboard.string == "text")
            #expect(pasteboard.hasStrings && !pasteboard.hasURLs && !pasteboard.hasImages && !pasteboard.hasColors)
            pasteboard.strings = ["a", "b"]
            #expect(pasteboard.strings == ["a", "b"])
            let url = URL(fileURLWithPath: "/tmp/x")
            pasteboard.url = url
            #expect(pasteboard.urls == [url] && pasteboard.hasURLs && pasteboard.string == nil)
            let data = try ImageCodec.encode(Data(repeating: 5, count: 64), width: 4, height: 4, as: .png)
            pasteboard.image = UIImage(data: data)
            #expect(pasteboard.image?.pngData() == data)
            #expect(pasteboard.images?.count == 1 && pasteboard.hasImages)
            let red = UIColor(red: 1, green: 0, blue: 0.25, alpha: 0.5)
            pasteboard.colors = [red]
            #expect(pasteboard.color == red && pasteboard.hasColors)
            pasteboard.string = nil
            #expect(pasteboard.numberOfItems == 0)
        }
    }

    @Test func itemsAreDictionariesFromTypeToValue() async throws {
        let pasteboard = pasteboard
        try await blocking {
            pasteboard.items = [
                ["public.utf8-plain-text": "text", "public.html": Data("<b>".utf8)],
                ["public.url": URL(fileURLWithPath: "/x")],
            ]
            #expect(pasteboard.numberOfItems == 2)
            #expect(pasteboard.types == ["public.html", "public.utf8-plain-text"])
            #expect(pasteboard.value(forPasteboardType: "public.utf8-plain-text") as? String == "text")
            #expect(pasteboard.data(forPasteboardType: "public.html") == Data("<b>".utf8))
            #expect(pasteboard.items[1]["public.url"] as? URL == URL(fileURLWithPath: "/x"))
            #expect(pasteboard.contains(pasteboardTypes: ["public.html"]))
            #expect(!pasteboard.contains(pasteboardTypes: ["public.html"], inItemSet: nil))
            #expect(pasteboard.contains(pasteboardTypes: ["public.url"], inItemSet: [1]))
            #expect(pasteboard.itemSet(withPasteboardTypes: ["public.url"]) == [1])
            #expect(pasteboard.types(forItemSet: [1]) == [["public.url"]])
            #expect(pasteboard.types(forItemSet: [7]) == nil)
            #expect(pasteboard.values(forPasteboardType: "public.url", inItemSet: nil)?.count == 1)
            #expect(pasteboard.data(forPasteboardType: "public.utf8-plain-text", inItemSet: [0]) == [Data("text".utf8)])
            pasteboard.addItems([["public.utf8-plain-text": "more"]])
            #expect(pasteboard.numberOfItems == 3)
        }
    }

    @Test func valuesAreOfTheClassThatTheirTypeSays() async throws {
        let pasteboard = pasteboard
        try await blocking {
            pasteboard.setData(Data("text".utf8), forPasteboardType: "public.utf8-plain-text")
            #expect(pasteboard.value(forPasteboardType: "public.utf8-plain-text") as? String == "text")
            pasteboard.setValue(["a": 1], forPasteboardType: "com.apple.property-list")
            #expect((pasteboard.value(forPasteboardType: "com.apple.property-list") as? [String: Int]) == ["a": 1])
            pasteboard.setValue("auto", forPasteboardType: UIPasteboard.typeAutomatic)
            #expect(pasteboard.types == ["public.utf8-plain-text"])
            #expect(pasteboard.value(forPasteboardType: "public.png") == nil)
            #expect(pasteboard.data(forPasteboardType: "public.png") == nil)
            // An object that cannot be encoded is left out without a crash.
            pasteboard.setItems([["public.text": NSObject()]])
            #expect(pasteboard.types.isEmpty)
        }
    }

    @Test func settingItemsReplacesAllEarlierOnes() async throws {
        let pasteboard = pasteboard
        try await blocking {
            let many = Dictionary(uniqueKeysWithValues: (100..<600).map { ("org.example.t\($0)", "v") })
            let long = String(repeating: "t", count: 5_000)
            let cases: [([[String: Any]], Int, Int)] = [
                ([[:]], 0, 0), ([["": "bad"]], 0, 0), ([["public.text": "good"], [:]], 1, 1),
                ([["public.text": "good", long: "bad"]], 1, 1), ([many], 1, 256),
            ]
            for (items, count, types) in cases {
                pasteboard.string = "secret"
                pasteboard.setItems(items)
                #expect(pasteboard.numberOfItems == count && pasteboard.types.count == types)
                #expect(pasteboard.string != "secret")
            }
            pasteboard.string = "secret"
            pasteboard.itemProviders = [NSItemProvider()]
            #expect(pasteboard.numberOfItems == 0)
            let named = NSItemProvider(object: "text" as NSString)
            named.suggestedName = String(repeating: "é", count: 5_000)
            pasteboard.itemProviders = [named]
            #expect(pasteboard.string == "text")
        }
    }

    @Test func aPasteboardIsThereFromItsFirstContentsToItsRemoval() async throws {
        let (boards, name) = (boards, name)
        try await blocking {
            #expect(UIPasteboard(name, boards, create: false) == nil)
            let pasteboard = UIPasteboard(name, boards, create: true)
            pasteboard?.string = "text"
            #expect(UIPasteboard(name, boards, create: false)?.string == "text")
            let before = boards.changeCount(of: "pasteboard." + name.rawValue)
            boards.remove("pasteboard." + name.rawValue)
            #expect(UIPasteboard(name, boards, create: false) == nil)
            pasteboard?.string = "again"
            #expect(UIPasteboard(name, boards, create: false)?.string == "again")
            #expect(boards.changeCount(of: "pasteboard." + name.rawValue) > before)
            for unusable in ["", "a\u{0}b", String(repeating: "n", count: 5_000)] {
                #expect(UIPasteboard(.init(unusable), boards, create: true) == nil)
            }
        }
    }

    @Test func theSingularIsTheFirstItems() async throws {
        let pasteboard = pasteboard
        try await blocking {
            let url = try #require(URL(string: "https://example.org/third"))
            let data = try ImageCodec.encode(Data(repeating: 5, count: 64), width: 4, height: 4, as: .png)
            pasteboard.setItems([["public.png": data], ["public.utf8-plain-text": "second"], ["public.url": url]])
            #expect(pasteboard.string == nil && pasteboard.url == nil && pasteboard.color == nil)
            #expect(pasteboard.image != nil)
            #expect(pasteboard.strings == ["second"] && pasteboard.urls == [url] && pasteboard.hasStrings)
        }
    }

    @Test func localItemsKeepHowTheyAreShown() throws {
        let item = NSItemProvider(object: "text" as NSString)
        item.preferredPresentationSize = CGSize(width: 3, height: 4)
        item.preferredPresentationStyle = .attachment
        item.previewImageHandler = { completion, _, _ in completion?(NSData(), nil) }
        pasteboard.setItemProviders([item], localOnly: true, expirationDate: nil)
        let pasted = try #require(pasteboard.itemProviders.first)
        #expect(pasted.preferredPresentationSize == CGSize(width: 3, height: 4))
        #expect(pasted.preferredPresentationStyle == .attachment)
        #expect(pasted.previewImageHandler != nil)
    }

    @Test func aPasteboardOfOnesOwnClassSaysItsOwn() {
        let mock = MockPasteboard()
        mock.string = "mocked"
        #expect(mock.string == "mocked" && mock.setItemsCalls == 0)
        mock.setValue("x", forPasteboardType: "public.text")
        #expect(mock.setItemsCalls == 1)
        #expect(MockMacPasteboard(name: .find).readFileWrapper()?.isDirectory == true)
    }

    @Test func changesAreCountedAndTold() async throws {
        let pasteboard = pasteboard
        let told = Mutex<[[String]]>([])
        let name = name
        let token = NotificationCenter.default.addObserver(
            forName: UIPasteboard.changedNotification, object: nil, queue: nil
        ) { notification in
            guard (notification.object as? UIPasteboard)?.name == name else { return }
            let added = notification.userInfo?[UIPasteboard.changedTypesAddedUserInfoKey] as? [String] ?? []
            let removed = notification.userInfo?[UIPasteboard.changedTypesRemovedUserInfoKey] as? [String] ?? []
            told.withLock { $0.append(added + ["|"] + removed) }
        }
        try await blocking {
            let before = pasteboard.changeCount
            pasteboard.string = "a"
            pasteboard.url = URL(fileURLWithPath: "/x")
            #expect(pasteboard.changeCount == before + 2)
            for number in 0..<1_000 { pasteboard.string = "\(number)" }
            #expect(pasteboard.string == "999")
        }
        NotificationCenter.default.removeObserver(token)
        let first = told.withLock { Array($0.prefix(2)) }
        #expect(
            first == [
                ["public.utf8-plain-text", "|"], ["public.file-url", "public.url", "|", "public.utf8-plain-text"],
            ])
        #expect(told.withLock { $0.count } == 1_002)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func pendingItemsAreAbsentAndCancelled(isItem: Bool) async throws {
        let pasteboard = UIPasteboard(name, boards, patience: .milliseconds(500))
        let cancelled = Mutex(0)
        // Fifty loads that are awaited one after the other would take half a minute.
        pasteboard.itemProviders = (0..<50).map { _ in
            let provider = NSItemProvider()
            if isItem {
                provider.registerItem(forTypeIdentifier: "public.utf8-plain-text") { _, _, _ in }
            } else {
                provider.registerDataRepresentation(for: .utf8PlainText) { _ in
                    let progress = Progress(totalUnitCount: 1)
                    progress.cancellationHandler = { cancelled.withLock { $0 += 1 } }
                    return progress
                }
            }
            return provider
        }
        try await blocking {
            #expect(pasteboard.string == nil && pasteboard.items.allSatisfy(\.isEmpty))
            #expect(pasteboard.data(forPasteboardType: "public.utf8-plain-text") == nil)
            #expect(pasteboard.values(forPasteboardType: "public.utf8-plain-text", inItemSet: nil)?.isEmpty == true)
            #expect(pasteboard.hasStrings && pasteboard.numberOfItems == 50)
        }
        if !isItem {
            for _ in 0..<60_000 where cancelled.withLock({ $0 }) < 50 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(cancelled.withLock { $0 } >= 50)
        }
    }

    @Test func expiredItemsLeaveOthersAlone() async throws {
        let pasteboard = pasteboard
        let other = UIPasteboard(name, boards)
        try await blocking {
            for _ in 0..<50 {
                pasteboard.setObjects(
                    ["soon gone"], localOnly: false, expirationDate: Date(timeIntervalSinceNow: 0.002))
                other.string = "mine"
                usleep(4_000)
                #expect(pasteboard.string == "mine")
            }
        }
    }

    @Test func itemsExpire() async throws {
        let pasteboard = pasteboard
        try await blocking {
            pasteboard.setItemProviders(
                [NSItemProvider(object: "soon gone" as NSString)], localOnly: false, expirationDate: Date())
            for _ in 0..<60_000 where pasteboard.numberOfItems > 0 { usleep(5_000) }
            #expect(pasteboard.numberOfItems == 0)
            // Items that were set after the expiring ones remain.
            pasteboard.setObjects(["old"], localOnly: true, expirationDate: Date(timeIntervalSinceNow: 0.05))
            pasteboard.setObjects(["new"])
            let writing: [any NSItemProviderWriting] = ["newer" as NSString]
            pasteboard.setObjects(writing, localOnly: false, expirationDate: nil)
            pasteboard.setObjects(writing)
            usleep(200_000)
            #expect(pasteboard.strings == ["newer"])
        }
    }

    @Test func localItemsAreHiddenFromOthers() throws {
        pasteboard.setItems([["public.text": "x"]], options: [.localOnly: true])
        #expect(try #require(pasteboard.itemProviders.first).representations.map(\.visibility) == [.ownProcess])
    }

    @Test func localItemsKeepTheirPreviews() throws {
        let item = NSItemProvider(object: "x" as NSString)
        item.previewImageHandler = { completion, _, _ in completion?(nil, nil) }
        item.preferredPresentationSize = CGSize(width: 30, height: 20)
        pasteboard.setItemProviders([item], localOnly: true, expirationDate: nil)
        let pasted = try #require(pasteboard.itemProviders.first)
        #expect(pasted.previewImageHandler != nil)
        #expect(pasted.preferredPresentationSize == CGSize(width: 30, height: 20))
    }

    @Test func namesAreWhatTheyAre() {
        #expect(UIPasteboard.Name.general.rawValue == "com.apple.UIKit.pboard.general")
        #expect(UIPasteboard(.general, boards).isPersistent && !pasteboard.isPersistent)
        #expect(UIPasteboard.general.name == UIPasteboard.Name(rawValue: "com.apple.UIKit.pboard.general"))
        #expect(UIPasteboard(name: name, create: true)?.name == name)
        UIPasteboard.general.setPersistent(false)
        #expect(UIPasteboard.general.isPersistent)
        // The general pasteboard cannot be removed.
        UIPasteboard.remove(withName: .general)
        #expect(UIPasteboardNameFind == "com.apple.UIKit.pboard.find")
        #expect(UIPasteboard.OptionsKey(rawValue: "UIPasteboardOptionLocalOnly") == UIPasteboard.OptionsKey.localOnly)
        #expect(UIPasteboard.OptionsKey.expirationDate != .localOnly)
        #expect(UIPasteboard.removedNotification != UIPasteboard.changedNotification)
        #expect(UIPasteboard.withUniqueName().name != UIPasteboard.withUniqueName().name)
        #expect(UIPasteboard.typeListURL.contains("public.url"))
        #expect(UIPasteboard.typeListString.contains("public.utf8-plain-text"))
        #expect(UIPasteboard.typeListImage.contains("public.png"))
        #expect(UIPasteboard.typeListColor.contains("com.apple.uikit.color"))
    }

    @Test func colorsAreReadFromTheirComponentsOnly() throws {
        let color = UIColor(red: 2, green: -1, blue: 0.5, alpha: 1)
        var (red, green) = (CGFloat(9), CGFloat(9))
        #expect(color.getRed(&red, green: &green, blue: nil, alpha: nil))
        #expect((red, green) == (1, 0))
        for bad in ["", "1 2", "a b c d", "nan 0 0 0", "1 2 3 4 5"] {
            #expect(throws: (any Error).self) {
                try UIColor.object(withItemProviderData: Data(bad.utf8), typeIdentifier: "com.apple.uikit.color")
            }
        }
        let archive = try NSKeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: archive) == color)
    }
}

private final class MockPasteboard: UIPasteboard, @unchecked Sendable {
    // Sendable: one test uses it, on one thread.
    private var text: String?
    private(set) var setItemsCalls = 0

    override var string: String? {
        get { text }
        set { text = newValue }
    }

    override func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) { setItemsCalls += 1 }
}

private final class MockMacPasteboard: NSPasteboard, @unchecked Sendable {
    override func readFileWrapper() -> FileWrapper? { FileWrapper(directoryWithFileWrappers: [:]) }
}
