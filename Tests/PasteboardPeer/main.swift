// A process for tests of pasteboards and drags. It executes commands from standard input, one per line.
import DragAndDrop
import Exchange
import Foundation
import ItemProvider

signal(SIGPIPE, SIG_IGN)

/// A source and destination of drags, which also uses pasteboards.
@MainActor final class Desk: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    private var dragged: [UIDragItem] = []
    private var allowsMove = true
    private var wanted = UIDropOperation.copy
    private var drag: DragOperation?
    private let mac = MacDesk()

    func perform(_ command: String, _ text: String) async {
        let pasteboard = UIPasteboard.general
        switch command {
        case "copy-string":
            pasteboard.string = text
            say("copied")
        case "copy-local":
            pasteboard.setItems([["public.utf8-plain-text": text]], options: [.localOnly: true])
            say("copied")
        case "copy-items":
            pasteboard.items = [["public.utf8-plain-text": text], ["public.url": URL(fileURLWithPath: "/" + text)]]
            say("copied")
        case "paste":
            let strings = pasteboard.strings ?? []
            say("pasted \(pasteboard.numberOfItems) \(strings.joined(separator: ","))")
        case "set-unusable":
            switch text {
            case "nothing": pasteboard.setItems([[:]])
            case "no-type": pasteboard.setItems([["": "bad"]])
            case "some": pasteboard.setItems([["public.utf8-plain-text": "good"], [:], ["": "bad"]])
            case "long-type":
                pasteboard.setItems([[String(repeating: "t", count: 5_000): "x", "public.utf8-plain-text": "good"]])
            case "many-types":
                pasteboard.setItems([Dictionary(uniqueKeysWithValues: (100..<600).map { ("org.example.t\($0)", "v") })])
            case "many-items":
                pasteboard.strings = Array(repeating: "s", count: 20_001)
            default: pasteboard.itemProviders = [NSItemProvider()]
            }
            say("set")
        case "look":
            say("there \(pasteboard.numberOfItems) \(pasteboard.types.count) \(pasteboard.string ?? "nothing")")
        case "exists":
            say("exists \(UIPasteboard(name: .init(text), create: false) != nil)")
        case "unusable-names":
            let names = ["", "a\u{0}b", String(repeating: "n", count: 5_000)].map { UIPasteboard.Name($0) }
            say("there \(names.count { UIPasteboard(name: $0, create: true) != nil })")
        case "remove":
            UIPasteboard.remove(withName: .init(text))
            say("removed")
        case "named":
            UIPasteboard(name: .init(text), create: true)?.string = "on \(text)"
            say("copied")
        case "paste-named":
            say("pasted \(UIPasteboard(name: .init(text), create: false)?.string ?? "nothing")")
        case "copy-without-end":
            let item = NSItemProvider()
            item.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) {
                completion in
                completion(Data((text + String(repeating: " more", count: 10_000_000)).utf8), nil)
                return nil
            }
            pasteboard.itemProviders = [item]
            say("copied")
        case "copy-failing":
            let item = NSItemProvider()
            item.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) {
                completion in
                completion(nil, CocoaError(.fileReadNoPermission))
                return nil
            }
            pasteboard.itemProviders = [item]
            say("copied")
        case "detect":
            do {
                let values = try await pasteboard.detectedValues(for: [\.probableWebURL, \.number, \.links])
                let address = values.probableWebURL.isEmpty ? "no address" : values.probableWebURL
                let links = values.links.map(\.url.absoluteString).joined(separator: ",")
                say("detected \(address), \(values.number ?? 0), \(links.isEmpty ? "no links" : links)")
            } catch {
                say("failed \((error as NSError).code)")
            }
        case "detect-patterns":
            pasteboard.detectPatterns(for: [.probableWebURL, .number], inItemSet: nil) { result in
                let patterns = (try? result.get())?.map { $0.map(\.rawValue.count).sorted() }
                say("detected \(patterns?.description ?? "nothing")")
            }
        case "copy-podcast":
            let podcast = PodcastModelData(collectionName: text, feedURL: "feed of " + text, artworkURL100: "ärt")
            pasteboard.itemProviders = [NSItemProvider(object: podcast)]
            say("copied")
        case "paste-podcast":
            guard let provider = pasteboard.itemProviders.first, provider.canLoadObject(ofClass: PodcastModelData.self)
            else { return say("pasted nothing") }
            provider.loadObject(ofClass: PodcastModelData.self) { object, error in
                guard let podcast = object as? PodcastModelData else { return say("failed \(error as Any)") }
                let parts = [podcast.collectionName, podcast.feedUrl, podcast.artworkUrl100]
                say("pasted \(parts.map { $0 ?? "nil" }.joined(separator: ", "))")
            }
        case "copy-values":
            let dictionary: [String: Any] = ["number": 1, "list": ["three"]]
            pasteboard.items = [
                [
                    "com.example.dictionary": dictionary, "com.example.number": 5, "com.example.truth": true,
                    "com.example.date": Date(timeIntervalSinceReferenceDate: 0),
                ]
            ]
            say("copied")
        case "paste-values":
            let values = pasteboard.items.first ?? [:]
            let dictionary = values["com.example.dictionary"] as? [String: Any]
            let words: [Any?] = [
                dictionary?["number"] as? Int, (dictionary?["list"] as? [String])?.first,
                values["com.example.number"] as? Int, values["com.example.truth"] as? Bool,
                values["com.example.date"] as? Date,
            ]
            say("pasted " + words.map { word in word.map { "\($0)" } ?? "nothing" }.joined(separator: " "))
        case "copy-archived":
            // A class of Foundation that is not among those decoded by default.
            pasteboard.items = [["com.example.indexes": NSIndexSet(index: 1)]]
            say("copied")
        case "paste-archived":
            let value = pasteboard.items.first?["com.example.indexes"] as? Data
            say("pasted \(value?.starts(with: Data("bplist00".utf8)) == true)")
        case "count":
            say("count \(pasteboard.changeCount)")
        case "drag", "drag-without-moving":
            allowsMove = command == "drag"
            let podcast = PodcastModelData(collectionName: text, feedURL: "feed", artworkURL100: "art")
            dragged = [UIDragItem(itemProvider: NSItemProvider(object: podcast))]
            drag = DragOperation(UIDragInteraction(delegate: self))
            do {
                try drag?.publish()
                say("dragging")
            } catch {
                say("failed \(error)")
            }
        case "on-drag-board":
            say("offered \(NSPasteboard(name: .drag).pasteboardItems?.count ?? -1)")
        case "drop":
            wanted = text == "move" ? .move : text == "copy" ? .copy : .cancel
            let interaction = UIDropInteraction(delegate: self)
            guard let drop = try? await DropOperation.remote(interaction) else { return say("failed no drag") }
            say("dropped \(await drop.perform())")
        default:
            if !mac.perform(command, text) { say("unknown \(command)") }
        }
    }

    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    {
        dragged
    }

    func dragInteraction(
        _ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession
    ) -> Bool { allowsMove }

    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation
    ) { say("ended \(operation)") }

    func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession) {
        say("transferred")
    }

    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: any UIDropSession) -> Bool {
        session.canLoadObjects(ofClass: PodcastModelData.self)
    }

    func dropInteraction(
        _ interaction: UIDropInteraction, sessionDidUpdate session: any UIDropSession
    ) -> UIDropProposal { UIDropProposal(operation: wanted) }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: any UIDropSession) {
        _ = session.loadObjects(ofClass: PodcastModelData.self) { (items) in
            if let podcasts = items as? [PodcastModelData] {
                say(
                    "loaded \(podcasts.compactMap(\.collectionName).joined(separator: ",")) local \(session.localDragSession != nil)"
                )
            }
        }
    }
}

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // A test that has ended no longer reads, so the result is ignored.
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

let desk = MainActor.assumeIsolated { Desk() }
Thread.detachNewThread {
    while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let command = words.first, command != "quit" else { break }
        let text = words.dropFirst().first ?? ""
        DispatchQueue.main.async { Task { await desk.perform(command, text) } }
    }
    exit(0)
}
dispatchMain()
