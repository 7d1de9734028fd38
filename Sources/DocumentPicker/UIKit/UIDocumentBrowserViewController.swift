import FileProviderUI
import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// A view controller that shows the documents of the mounted domains, and lets the user open one after the other.
///
/// It runs `purvey-files` while it is visible, as ``UIDocumentPickerViewController`` does.
///
/// Source: UIKit, `UIDocumentBrowserViewController.h`.
open class UIDocumentBrowserViewController: UIViewController {
    /// Whether the file that the program created for a new document is copied or moved into the folder that the user
    /// chose.
    public enum ImportMode: UInt, Sendable {
        /// The user cancelled the creation.
        case none
        case copy
        case move
    }

    /// The appearance of the window.
    public enum BrowserUserInterfaceStyle: UInt, Sendable {
        case white
        case light
        case dark
    }

    private let types: [String]
    private var picker: PickerProcess?

    /// The delegate, which opens and creates documents.
    open weak var delegate: (any UIDocumentBrowserViewControllerDelegate)?
    /// Whether the window has a button for a new document.
    open var allowsDocumentCreation = true
    /// The label of the button for a new document.
    open var localizedCreateDocumentActionTitle = "New Document"
    /// Whether the user may open more than one document at a time.
    open var allowsPickingMultipleItems = false
    /// The types of documents in the list of recent ones. The window shows recent files of all types.
    open var contentTypesForRecentDocuments: [UTType] = []
    /// The types of documents that the user may open.
    open var allowedContentTypes: [String] { types }
    /// Whether names are shown with their extensions. The window always shows them.
    open var shouldShowFileExtensions = true
    /// The appearance of the window. It has no effect: the window follows the desktop's setting.
    open var browserUserInterfaceStyle = BrowserUserInterfaceStyle.light
    /// The width of documents' pictures relative to their height. It has no effect.
    open var defaultDocumentAspectRatio = 2.0 / 3

    /// Creates a browser for documents of the given types, or of all types if `contentTypes` is `nil`.
    public init(forOpening contentTypes: [UTType]?) {
        types = contentTypes?.map(\.identifier) ?? []
        super.init()
    }

    /// Creates a browser for documents with the given type identifiers. Superseded by ``init(forOpening:)``.
    public convenience init(forOpeningFilesWithContentTypes allowedContentTypes: [String]?) {
        self.init(forOpening: allowedContentTypes?.compactMap { UTType($0) })
    }

    /// Shows the window.
    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        guard picker == nil else { return }
        var request = PickerRequest(
            .browse(newDocument: allowsDocumentCreation ? localizedCreateDocumentActionTitle : nil))
        request.types = types
        request.allowsMultiple = allowsPickingMultipleItems
        request.title = title
        picker = PickerProcess.start(
            request,
            newDocument: { folder, reply in
                Task { @MainActor [weak self] in
                    if let self { requestDocument(in: folder, reply) } else { reply(nil) }
                }
            },
            report: { event in
                Task { @MainActor [weak self] in self?.take(event) }
            })
    }

    /// Closes the window.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        picker?.close()
        picker = nil
    }

    private func take(_ event: PickerProcess.Event) {
        switch event {
        case .picked(let urls): delegate?.documentBrowser(self, didPickDocumentsAt: urls)
        case .cancelled: dismiss(animated: true)
        case .failed(let error):
            DocumentPickerError.note(error)
            dismiss(animated: true)
        }
    }

    // MARK: Documents

    private func requestDocument(in folder: URL, _ reply: @escaping @Sendable (String?) -> Void) {
        guard let delegate else { return reply(nil) }
        var isAnswered = false
        delegate.documentBrowser(self) { [self] source, mode in
            guard !isAnswered else { return }
            isAnswered = true
            guard let source, mode != .none else { return reply(nil) }
            Task {
                let url = await importDocument(source, into: folder, mode)
                reply(url?.path.lastPathName)
            }
        }
    }

    /// Imports a file, and informs the delegate.
    private func importDocument(_ source: URL, into folder: URL, _ mode: ImportMode) async -> URL? {
        do {
            let new = try await DocumentTransfer.transferred(source, into: folder, isCopy: mode == .copy)
            delegate?.documentBrowser(self, didImportDocumentAt: source, toDestinationURL: new)
            return new
        } catch {
            delegate?.documentBrowser(self, failedToImportDocumentAt: source, error: error)
            return nil
        }
    }

    /// Imports a document into the folder of another document.
    ///
    /// - Parameter completion: called with the new URL, or with an error.
    open func importDocument(
        at documentURL: URL, nextToDocumentAt neighbourURL: URL, mode importMode: ImportMode,
        completionHandler completion: @escaping @MainActor (URL?, (any Error)?) -> Void
    ) {
        let folder = neighbourURL.deletingLastPathComponent()
        Task {
            do {
                completion(
                    try await DocumentTransfer.transferred(documentURL, into: folder, isCopy: importMode == .copy), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Shows a document in the window. Fails for a document outside of the mounts, because it cannot be imported.
    open func revealDocument(
        at url: URL, importIfNeeded: Bool, completion: (@MainActor (URL?, (any Error)?) -> Void)? = nil
    ) {
        Task { [picker] in
            do {
                guard let picker else { throw DocumentPickerError("The document browser is not shown") }
                try await picker.reveal(url.path)
                completion?(url, nil)
            } catch {
                completion?(nil, error)
            }
        }
    }

    /// Renames a document. Fails if another item already has the proposed name.
    open func renameDocument(
        at documentURL: URL, proposedName: String,
        completionHandler: @escaping @MainActor (URL?, (any Error)?) -> Void
    ) {
        Task {
            do {
                let url = try await HandlerThreads.shared.value { () throws in
                    let new = documentURL.deletingLastPathComponent().appendingPathComponent(proposedName)
                    try FileManager.default.moveItem(at: documentURL, to: new)
                    return new
                }
                completionHandler(url, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }
}

extension DocumentTransfer {
    /// Copies or moves an item into a folder, on a separate thread. Returns the item's new URL.
    static func transferred(_ source: URL, into folder: URL, isCopy: Bool) async throws -> URL {
        try await HandlerThreads.shared.value { () throws in
            try transfer(source, into: folder, named: source.path.lastPathName, isCopy: isCopy)
        }
    }
}

/// An object that opens and creates documents for a browser. All methods are optional.
///
/// Source: UIKit, `UIDocumentBrowserViewController.h`.
@MainActor public protocol UIDocumentBrowserViewControllerDelegate: NSObjectProtocol {
    /// Informs the delegate of the documents that the user opens. The window stays open.
    func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentsAt documentURLs: [URL])
    /// Informs the delegate of the documents that the user opens. Called only if the delegate does not implement
    /// ``documentBrowser(_:didPickDocumentsAt:)``, which supersedes it.
    func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentURLs documentURLs: [URL])
    /// Asks the delegate for a new document. The delegate calls the handler once, with a file to import, or with `nil`
    /// and `none`. The default creates no document.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (URL?, UIDocumentBrowserViewController.ImportMode) -> Void)
    /// Informs the delegate of an imported document.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController, didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL)
    /// Informs the delegate of a document that could not be imported.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController, failedToImportDocumentAt documentURL: URL, error: (any Error)?)
}

extension UIDocumentBrowserViewControllerDelegate {
    /// Calls the superseded method ``documentBrowser(_:didPickDocumentURLs:)``.
    public func documentBrowser(_ controller: UIDocumentBrowserViewController, didPickDocumentsAt documentURLs: [URL]) {
        documentBrowser(controller, didPickDocumentURLs: documentURLs)
    }
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController, didPickDocumentURLs documentURLs: [URL]
    ) {}
    /// Creates no document.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (URL?, UIDocumentBrowserViewController.ImportMode) -> Void
    ) {
        importHandler(nil, .none)
    }
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController, didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    ) {}
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController, failedToImportDocumentAt documentURL: URL, error: (any Error)?
    ) {}
}
