import FileProviderUI
import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// The purpose of a document picker, as the first versions of UIKit distinguished it.
///
/// Source: UIKit, `UIDocumentPickerViewController.h`.
public enum UIDocumentPickerMode: UInt, Sendable {
    case `import`
    case open
    case exportToService
    case moveToService
}

/// A controller that lets the user pick files or folders in mounted domains, or destinations for exported files.
///
/// It runs `purvey-files` when it appears: present it with `present(_:animated:completion:)`. That program lists the
/// domains. This process receives only the URLs of the picked items. They are files of a mount, whose contents are
/// downloaded when they are read.
///
/// Source: UIKit, `UIDocumentPickerViewController.h`.
open class UIDocumentPickerViewController: UIViewController {
    enum Purpose {
        case open(types: [String], isCopy: Bool)
        case export([URL], isCopy: Bool)
    }

    let purpose: Purpose
    private var picker: PickerProcess?

    /// The delegate, which receives the picked items.
    open weak var delegate: (any UIDocumentPickerDelegate)?
    /// Whether the user may pick more than one item.
    open var allowsMultipleSelection = false
    /// The folder that is shown first: a directory in a mount. `nil` for the recent files.
    open var directoryURL: URL?
    /// Whether names are shown with their extensions. The picker always shows them.
    open var shouldShowFileExtensions = true
    /// The purpose of the picker.
    open var documentPickerMode: UIDocumentPickerMode {
        switch purpose {
        case .open(_, let isCopy): isCopy ? .import : .open
        case .export(_, let isCopy): isCopy ? .exportToService : .moveToService
        }
    }

    /// Creates a picker for files of the given types. With `UTType.folder`, folders can be picked.
    ///
    /// - Parameter asCopy: whether the delegate receives copies in the temporary directory. To make the copies, the
    ///   contents are downloaded.
    public init(forOpeningContentTypes contentTypes: [UTType], asCopy: Bool = false) {
        purpose = .open(types: contentTypes.map(\.identifier), isCopy: asCopy)
        super.init()
    }

    /// Creates a picker for the destinations of exported files.
    ///
    /// - Parameter asCopy: whether the files are copied. Otherwise they are moved.
    public init(forExporting urls: [URL], asCopy: Bool = false) {
        purpose = .export(urls, isCopy: asCopy)
        super.init()
    }

    /// Creates a picker for files with the given type identifiers. Superseded by
    /// ``init(forOpeningContentTypes:asCopy:)``.
    public convenience init(documentTypes: [String], in mode: UIDocumentPickerMode) {
        self.init(forOpeningContentTypes: documentTypes.compactMap { UTType($0) }, asCopy: mode == .import)
    }

    /// Creates a picker for the destinations of exported files. Superseded by ``init(forExporting:asCopy:)``.
    public convenience init(urls: [URL], in mode: UIDocumentPickerMode) {
        self.init(forExporting: urls, asCopy: mode != .moveToService)
    }

    /// Creates a picker for the destinations of exported files. Superseded by ``init(forExporting:asCopy:)``.
    public convenience init(url: URL, in mode: UIDocumentPickerMode) {
        self.init(urls: [url], in: mode)
    }

    /// Shows the window.
    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        guard picker == nil else { return }
        picker = PickerProcess.start(request) { event in
            Task { @MainActor [weak self] in await self?.take(event) }
        }
    }

    /// Closes the window, if the user has not picked yet.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        picker?.close()
        picker = nil
    }

    private var request: PickerRequest {
        var request: PickerRequest
        switch purpose {
        case .open(let types, let isCopy):
            let folder = UTType.folder.identifier
            let files = types.filter { $0 != folder }
            request = PickerRequest(files.count == types.count ? .files : files.isEmpty ? .folders : .filesAndFolders)
            request.types = files
            request.allowsMultiple = allowsMultipleSelection
            request.prompt = isCopy ? nil : "Open"
        case .export(let urls, let isCopy):
            let verb = isCopy ? "Save" : "Move"
            request = PickerRequest(urls.count == 1 ? .save(name: urls[0].path.lastPathName) : .folders)
            request.title = urls.count == 1 ? nil : "\(verb) \(urls.count) Items"
            request.prompt = verb
        }
        request.title = title ?? request.title
        request.place = directoryURL?.path
        return request
    }

    // MARK: Results

    private func take(_ event: PickerProcess.Event) async {
        do {
            switch event {
            case .picked(let urls):
                let results = try await results(of: urls)
                dismiss(animated: true)
                delegate?.documentPicker(self, didPickDocumentsAt: results)
            case .cancelled: cancel()
            case .failed(let error): throw error
            }
        } catch {
            // UIKit's delegate has no method for failures, so for the program the user picked nothing.
            DocumentPickerError.note(error)
            cancel()
        }
    }

    private func cancel() {
        dismiss(animated: true)
        delegate?.documentPickerWasCancelled(self)
    }

    private func results(of urls: [URL]) async throws -> [URL] {
        switch purpose {
        case .open(_, isCopy: false): return urls
        case .open(_, isCopy: true):
            return try await HandlerThreads.shared.value { () throws in try DocumentTransfer.copyToInbox(urls) }
        case .export(let sources, let isCopy):
            return try await HandlerThreads.shared.value { () throws in
                try DocumentTransfer.export(sources, to: urls, isCopy: isCopy)
            }
        }
    }
}

/// An object that receives the picked items. All methods are optional.
///
/// Source: UIKit, `UIDocumentPickerViewController.h`.
@MainActor public protocol UIDocumentPickerDelegate: NSObjectProtocol {
    /// Informs the delegate of the picked items, or of the new URLs of the exported files. The picker has been
    /// dismissed.
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL])
    /// Informs the delegate that the user picked nothing, or that the picker could not be shown.
    func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController)
    /// Informs the delegate of one picked item. Called only if the delegate does not implement
    /// ``documentPicker(_:didPickDocumentsAt:)``.
    func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentAt url: URL)
}

extension UIDocumentPickerDelegate {
    /// Informs the delegate of each item separately.
    public func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentsAt urls: [URL]) {
        for url in urls { documentPicker(controller, didPickDocumentAt: url) }
    }

    /// Does nothing.
    public func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {}
    /// Does nothing.
    public func documentPicker(_ controller: UIDocumentPickerViewController, didPickDocumentAt url: URL) {}
}
