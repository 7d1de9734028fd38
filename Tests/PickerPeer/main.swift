// A program with document pickers, written as for Apple's platforms. It prints what the user picked.
import Foundation
import Purvey

@MainActor func show(_ words: String...) {
    FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
}

/// A controller that presents a picker, and is its delegate.
final class Library: UIViewController, UIDocumentPickerDelegate {
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL]) {
        for url in urls {
            let isAccessible = url.startAccessingSecurityScopedResource()
            defer { if isAccessible { url.stopAccessingSecurityScopedResource() } }
            show("picked", url.path, (try? String(contentsOf: url, encoding: .utf8)) ?? "-")
        }
        exit(0)
    }

    func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {
        show("cancelled", presentedViewController == nil ? "dismissed" : "shown")
        exit(0)
    }
}

/// A controller with documents, and their opener and maker.
final class Documents: UIDocumentBrowserViewController, UIDocumentBrowserViewControllerDelegate {
    override func viewDidLoad() {
        super.viewDidLoad()
        delegate = self
        localizedCreateDocumentActionTitle = "New Note"
    }

    func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentsAt documentURLs: [URL]) {
        for url in documentURLs { show("opened", url.path) }
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (URL?, UIDocumentBrowserViewController.ImportMode) -> Void
    ) {
        let new = FileManager.default.temporaryDirectory.appendingPathComponent("Note.txt")
        do {
            try Data("a note".utf8).write(to: new)
            importHandler(new, .move)
        } catch {
            importHandler(nil, .none)
        }
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController, didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    ) {
        show("imported", destinationURL.path)
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController, failedToImportDocumentAt documentURL: URL, error: (any Error)?
    ) {
        show("failed", error?.localizedDescription ?? "-")
    }
}

/// A panel delegate that refuses pictures, plans and the name "Secret", and adds an extension to names.
final class Taste: NSObject, NSOpenSavePanelDelegate {
    struct Refusal: LocalizedError {
        var errorDescription: String? { "Plans are not accepted" }
    }

    func panel(_ sender: Any, shouldEnable url: URL) -> Bool { url.pathExtension != "png" }

    func panel(_ sender: Any, validate url: URL) throws {
        if url.lastPathComponent.hasPrefix("Plan") { throw Refusal() }
    }

    func panel(_ sender: Any, userEnteredFilename filename: String, confirmed okFlag: Bool) -> String? {
        guard okFlag, filename != "Secret" else { return nil }
        return filename.contains(".") ? filename : filename + ".txt"
    }
}

/// A panel delegate that accepts a pick only when a file exists. Blocks until then.
final class Hesitation: NSObject, NSOpenSavePanelDelegate {
    func panel(_ sender: Any, validate url: URL) throws {
        show("asked")
        while !FileManager.default.fileExists(atPath: CommandLine.arguments[3]) { usleep(10_000) }
    }
}

let library = Library()
let taste = Taste()
let hesitation = Hesitation()
let documents = Documents(forOpening: [.plainText])
let arguments = CommandLine.arguments
/// The number of arguments of each command, including the command's name.
let lengths = [
    "open": 2, "copy": 2, "export": 3, "browse": 2, "panel": 2, "save": 2, "choosy": 2, "choosy save": 2, "hesitant": 3,
]
guard arguments.count > 1, lengths[arguments[1]] == arguments.count - 1 else {
    let usage = """
        usage: PickerPeer open|copy|panel|save|choosy|"choosy save"|browse DIRECTORY | export DIRECTORY FILE
                | hesitant DIRECTORY DECISION

        """
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
switch arguments[1] {
case "open", "copy":
    let picker = UIDocumentPickerViewController(
        forOpeningContentTypes: [.plainText], asCopy: arguments[1] == "copy")
    picker.delegate = library
    picker.allowsMultipleSelection = true
    picker.directoryURL = URL(fileURLWithPath: arguments[2])
    picker.modalPresentationStyle = .formSheet
    library.present(picker, animated: true)
case "export":
    let picker = UIDocumentPickerViewController(forExporting: [URL(fileURLWithPath: arguments[3])], asCopy: true)
    picker.delegate = library
    picker.directoryURL = URL(fileURLWithPath: arguments[2])
    library.present(picker, animated: true)
case "browse":
    library.present(documents, animated: false)
case "panel":
    let panel = NSOpenPanel()
    panel.canChooseDirectories = true
    panel.canChooseFiles = false
    panel.message = "Where are the notes?"
    panel.prompt = "Use Folder"
    panel.directoryURL = URL(fileURLWithPath: arguments[2])
    if panel.runModal() == .OK, let url = panel.url { show("picked", url.path) } else { show("cancelled") }
    exit(0)
case "save":
    let panel = NSSavePanel()
    panel.nameFieldStringValue = "Letter"
    panel.allowedContentTypes = [.plainText]
    panel.directoryURL = URL(fileURLWithPath: arguments[2])
    panel.begin { response in
        if response == .OK, let url = panel.url { show("picked", url.path) } else { show("cancelled") }
        exit(0)
    }
case "choosy":
    let panel = NSOpenPanel()
    panel.delegate = taste
    panel.directoryURL = URL(fileURLWithPath: arguments[2])
    // The panel runs in a function on the main queue, so the queue is not served while the panel is shown.
    DispatchQueue.main.async {
        if panel.runModal() == .OK, let url = panel.url { show("picked", url.path) } else { show("cancelled") }
        exit(0)
    }
    RunLoop.main.run()
case "hesitant":
    let panel = NSOpenPanel()
    panel.delegate = hesitation
    panel.directoryURL = URL(fileURLWithPath: arguments[2])
    panel.begin { response in
        show(response == .OK ? "picked" : "cancelled")
        exit(0)
    }
case "choosy save":
    let panel = NSSavePanel()
    panel.delegate = taste
    panel.nameFieldStringValue = "Secret"
    panel.directoryURL = URL(fileURLWithPath: arguments[2])
    panel.begin { response in
        if response == .OK, let url = panel.url { show("picked", url.path) } else { show("cancelled") }
        exit(0)
    }
default: exit(2)
}
dispatchMain()
