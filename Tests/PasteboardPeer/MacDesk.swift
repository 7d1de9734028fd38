import DragAndDrop
import FileCoordination
import Foundation
import ItemProvider

/// A Mac program that uses `NSPasteboard` as a test commands it.
final class MacDesk: NSObject, NSPasteboardTypeOwner, NSPasteboardItemDataProvider, NSFilePromiseProviderDelegate {
    private var owner: MacDesk?
    private let text: String
    private let queue = OperationQueue()

    init(_ text: String = "") { self.text = text }

    /// - Returns: Whether the command is known.
    func perform(_ command: String, _ text: String) -> Bool {
        let pasteboard = NSPasteboard.general
        switch command {
        case "mac-copy":
            let count = pasteboard.clearContents()
            let isWritten = pasteboard.setString(text, forType: .string)
            say("copied \(isWritten) \(pasteboard.changeCount == count)")
        case "mac-clear":
            say("cleared \(pasteboard.clearContents() > 0)")
        case "mac-write":
            say("wrote \(pasteboard.writeObjects([text as NSString]))")
        case "mac-paste":
            say("pasted \(pasteboard.string(forType: .string) ?? "nothing")")
        case "mac-copy-urls":
            pasteboard.clearContents()
            let urls = text.split(separator: " ").compactMap { NSURL(string: String($0)) }
            say("copied \(pasteboard.writeObjects(urls))")
        case "mac-paste-files":
            let options: [NSPasteboard.ReadingOptionKey: Any] = [.urlReadingFileURLsOnly: true]
            let urls = pasteboard.readObjects(forClasses: [NSURL.self], options: options) as? [URL]
            say("pasted \((urls ?? []).map(\.path).joined(separator: " "))")
        case "mac-declare":
            owner = MacDesk(text)
            say("declared \(pasteboard.declareTypes([.string, .html], owner: owner) > 0)")
        case "mac-forget":
            owner = nil
            say("forgotten")
        case "mac-provide":
            owner = MacDesk(text)
            let item = NSPasteboardItem()
            if let owner { item.setDataProvider(owner, forTypes: [.string]) }
            pasteboard.clearContents()
            say("copied \(pasteboard.writeObjects([item]))")
        case "mac-promise":
            owner = MacDesk(text)
            pasteboard.clearContents()
            let promise = owner.map { NSFilePromiseProvider(fileType: "public.plain-text", delegate: $0) }
            say("copied \(pasteboard.writeObjects([promise].compactMap { $0 }))")
        case "mac-receive":
            let read = pasteboard.readObjects(forClasses: [NSFilePromiseReceiver.self]) as? [NSFilePromiseReceiver]
            guard let receiver = read?.first else {
                say("failed no promise")
                break
            }
            let folder = URL(fileURLWithPath: text, isDirectory: true)
            receiver.receivePromisedFiles(atDestination: folder, operationQueue: queue) { url, error in
                say(error.map { "failed \($0)" } ?? "received \(url.path) \(receiver.fileNames)")
            }
        case "team-copy":
            let provider = NSItemProvider(object: "for all" as NSString)
            provider.teamData = Data(text.utf8)
            UIPasteboard.general.itemProviders = [provider]
            say("copied")
        case "team-paste":
            let provider = UIPasteboard.general.itemProviders.first
            let data = provider?.teamData.map { String(decoding: $0, as: UTF8.self) }
            say("pasted \(data ?? "nothing") \(provider?.registeredTypeIdentifiers ?? [])")
        case "mac-unique":
            let unique = NSPasteboard.withUniqueName()
            unique.clearContents()
            unique.setString(text, forType: .string)
            let before = NSPasteboard(name: unique.name).string(forType: .string)
            unique.releaseGlobally()
            say("unique \(before ?? "nothing") \(unique.types?.count ?? -1)")
        case "mac-filter":
            let ofFile = NSPasteboard(byFilteringFile: text)
            let copy = NSPasteboard(byFilteringTypesInPasteboard: ofFile)
            let contents = copy.readFileWrapper()?.regularFileContents?.count ?? -1
            say("filtered \(copy.string(forType: .fileURL) ?? "-") \(copy.string(forType: .string) ?? "-") \(contents)")
        case "mac-filter-data":
            let type = NSPasteboard.PasteboardType("public.plain-text")
            let ofData = NSPasteboard(byFilteringData: Data(text.utf8), ofType: type)
            say("filtered \(ofData.string(forType: .string) ?? "-") \(ofData.types?.map(\.rawValue) ?? [])")
        case "mac-exit":
            // Exits on the main thread, which serves no other program from here on.
            exit(0)
        default:
            return false
        }
        return true
    }

    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
        say("asked \(type.rawValue)")
        sender.setString("\(text) as \(type.rawValue)", forType: type)
    }

    func pasteboardChangedOwner(_ sender: NSPasteboard) { say("changed") }

    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem, provideDataForType type: NSPasteboard.PasteboardType
    ) {
        say("asked \(type.rawValue)")
        item.setString(text, forType: type)
    }

    func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) { say("finished") }

    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String { text }

    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        say("asked \(filePromiseProvider.fileType)")
        do {
            try Data("written by another process".utf8).write(to: url)
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue { queue }
}
