// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Documents of a note-taking program: opened in a picker, exported, and chosen in a browser.
class NoteListViewController: UIViewController {
    private(set) var notes: [URL] = []
    private(set) var exported: [URL] = []
    private(set) var isImporting = false
    var onFinish: (() -> Void)?

    // MARK: - Actions

    func importTapped(_ sender: Any?) {
        let supportedTypes: [UTType] = [.plainText, .pdf, UTType("com.example.note") ?? .data]
        let documentPicker = UIDocumentPickerViewController(forOpeningContentTypes: supportedTypes, asCopy: true)
        documentPicker.delegate = self
        documentPicker.allowsMultipleSelection = true
        documentPicker.shouldShowFileExtensions = true
        documentPicker.modalPresentationStyle = .formSheet
        isImporting = true
        present(documentPicker, animated: true, completion: nil)
    }

    func openFolder() {
        let picker = UIDocumentPickerViewController(forOpeningContentTypes: [.folder])
        picker.delegate = self
        picker.directoryURL = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        present(picker, animated: true)
    }

    func exportNotes() {
        let picker = UIDocumentPickerViewController(forExporting: notes, asCopy: true)
        picker.delegate = self
        present(picker, animated: true) { [weak self] in
            self?.title = "Exporting…"
        }
    }

    /// As before iOS 14.
    func olderPickers() -> [UIDocumentPickerViewController] {
        [
            UIDocumentPickerViewController(documentTypes: ["public.text", "public.image"], in: .import),
            UIDocumentPickerViewController(url: URL(fileURLWithPath: "/tmp/note.txt"), in: .exportToService),
            UIDocumentPickerViewController(urls: [URL(fileURLWithPath: "/tmp/note.txt")], in: .moveToService),
        ]
    }
}

// MARK: - UIDocumentPickerDelegate

extension NoteListViewController: UIDocumentPickerDelegate {
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL]) {
        guard controller.documentPickerMode != .exportToService else {
            exported = urls
            onFinish?()
            return
        }
        for url in urls {
            guard url.startAccessingSecurityScopedResource() else { continue }
            defer { url.stopAccessingSecurityScopedResource() }
            var error: NSError?
            NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: &error) { newURL in
                notes.append(newURL)
            }
            if let error = error { print("Unable to read: \(error.localizedDescription)") }
        }
        onFinish?()
    }

    func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {
        isImporting = false
        controller.dismiss(animated: true) { self.onFinish?() }
    }
}

/// The delegate of a picker that a view of another framework presents, as in a `UIViewControllerRepresentable`.
final class PickerCoordinator: NSObject, UIDocumentPickerDelegate {
    private let onPick: @MainActor (Result<URL, Error>) -> Void

    init(onPick: @escaping @MainActor (Result<URL, Error>) -> Void) {
        self.onPick = onPick
    }

    @MainActor func makeUIViewController() -> UIDocumentPickerViewController {
        let controller = UIDocumentPickerViewController(forOpeningContentTypes: [.json, .commaSeparatedText])
        controller.allowsMultipleSelection = false
        controller.delegate = self
        return controller
    }

    /// The form of iOS 8, for one document.
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentAt url: URL) {
        onPick(.success(url))
    }

    func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {
        onPick(.failure(CocoaError(.userCancelled)))
    }
}

/// The controller of Xcode's template for an app with documents.
class DocumentBrowserViewController: UIDocumentBrowserViewController, UIDocumentBrowserViewControllerDelegate {
    private(set) var presented: [URL] = []
    private(set) var failures: [String] = []
    var template: URL?

    convenience init() {
        self.init(forOpening: [.plainText])
    }

    override func viewDidLoad() {
        super.viewDidLoad()

        delegate = self
        allowsDocumentCreation = true
        allowsPickingMultipleItems = false
        localizedCreateDocumentActionTitle = NSLocalizedString("New Note", comment: "")
    }

    // MARK: UIDocumentBrowserViewControllerDelegate

    func documentBrowser(_ controller: UIDocumentBrowserViewController, didRequestDocumentCreationWithHandler importHandler: @escaping (URL?, UIDocumentBrowserViewController.ImportMode) -> Void) {
        // Make sure the importHandler is always called, even if the user cancels the creation request.
        if let newDocumentURL = template {
            importHandler(newDocumentURL, .copy)
        } else {
            importHandler(nil, .none)
        }
    }

    func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentsAt documentURLs: [URL]) {
        guard let sourceURL = documentURLs.first else { return }
        presentDocument(at: sourceURL)
    }

    func documentBrowser(_ controller: UIDocumentBrowserViewController, didImportDocumentAt sourceURL: URL, toDestinationURL destinationURL: URL) {
        presentDocument(at: destinationURL)
    }

    func documentBrowser(_ controller: UIDocumentBrowserViewController, failedToImportDocumentAt documentURL: URL, error: Error?) {
        failures.append(error?.localizedDescription ?? "unknown")
    }

    // MARK: Document Presentation

    func presentDocument(at documentURL: URL) {
        presented.append(documentURL)
    }

    /// Opens a document that another program has handed over.
    func scene(openURL inputURL: URL) {
        revealDocument(at: inputURL, importIfNeeded: true) { (revealedDocumentURL, error) in
            if let error = error {
                self.failures.append(error.localizedDescription)
                return
            }
            self.presentDocument(at: revealedDocumentURL!)
        }
    }
}
