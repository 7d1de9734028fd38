// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Opening and saving as in programs for the Mac.
@MainActor
final class EditorController: NSObject {
    private(set) var opened: [URL] = []
    private(set) var saved: URL?
    private(set) var log: [String] = []

    func makeOpenPanel() -> NSOpenPanel {
        let panel = NSOpenPanel()
        panel.allowsMultipleSelection = true
        panel.canChooseDirectories = false
        panel.canChooseFiles = true
        panel.resolvesAliases = true
        panel.canDownloadUbiquitousContents = true
        panel.allowedContentTypes = [.plainText, .rtf]
        panel.message = "Choose the notes to open"
        panel.prompt = "Open"
        panel.title = "Open Notes"
        panel.directoryURL = FileManager.default.homeDirectoryForCurrentUser
        panel.treatsFilePackagesAsDirectories = false
        panel.showsHiddenFiles = false
        return panel
    }

    func openDocument(_ sender: Any?) {
        let panel = makeOpenPanel()
        panel.begin { [weak self] response in
            guard let self = self else { return }
            switch response {
            case .OK: self.opened = panel.urls
            case .cancel: self.log.append("cancelled")
            default: self.log.append("response \(response.rawValue)")
            }
        }
    }

    func openModally() -> URL? {
        let panel = NSOpenPanel()
        panel.allowedFileTypes = ["txt", "public.rtf"]
        guard panel.runModal() == NSApplication.ModalResponse.OK else { return nil }
        return panel.url
    }

    func chooseFolder() async -> URL? {
        let panel = NSOpenPanel()
        panel.canChooseDirectories = true
        panel.canChooseFiles = false
        panel.canCreateDirectories = true
        let response = await panel.begin()
        return response == .OK ? panel.urls.first : nil
    }

    func makeSavePanel(named name: String) -> NSSavePanel {
        let savePanel = NSSavePanel()
        savePanel.allowedContentTypes = [UTType.plainText]
        savePanel.canCreateDirectories = true
        savePanel.isExtensionHidden = false
        savePanel.canSelectHiddenExtension = true
        savePanel.allowsOtherFileTypes = false
        savePanel.nameFieldLabel = "File name:"
        savePanel.nameFieldStringValue = name
        return savePanel
    }

    func saveDocument(_ text: String, completion: @escaping @MainActor (Error?) -> Void) {
        let savePanel = makeSavePanel(named: "Note.txt")
        savePanel.begin { result in
            guard result.rawValue == NSApplication.ModalResponse.OK.rawValue, let url = savePanel.url else {
                return completion(CocoaError(.userCancelled))
            }
            do {
                try text.write(to: url, atomically: true, encoding: .utf8)
                self.saved = url
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }
}
