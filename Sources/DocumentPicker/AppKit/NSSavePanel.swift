import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// A panel that lets the user pick a name and a folder in a mounted domain for a new file.
///
/// It runs `purvey-files`, as ``UIDocumentPickerViewController`` does. The panel creates no file. If the picked file
/// exists, the user must confirm that it may be replaced.
///
/// Source: AppKit, `NSSavePanel.h`.
@MainActor open class NSSavePanel: NSObject {
    private var picker: PickerProcess?
    private var isCancelled: (@MainActor () -> Void)?
    /// The number of times that the panel was shown.
    private var showings = 0
    private(set) var pickedURLs: [URL] = []

    /// The delegate, which may refuse the user's picks.
    open weak var delegate: (any NSOpenSavePanelDelegate)?
    /// The picked URL; `nil` if the user picked none.
    open var url: URL? { pickedURLs.first }
    /// The folder that is shown first: a directory in a mount. `nil` for the recent files.
    open var directoryURL: URL?
    /// The types of the file. If the name has no extension, the panel adds the extension of the first type.
    open var allowedContentTypes: [UTType] = []
    /// The types of the file, as extensions or type identifiers. Superseded by ``allowedContentTypes``.
    open var allowedFileTypes: [String]? {
        get { allowedContentTypes.isEmpty ? nil : allowedContentTypes.map(\.identifier) }
        set {
            allowedContentTypes = (newValue ?? []).compactMap { name in
                name.contains(".") ? UTType(name) : UTType(filenameExtension: name)
            }
        }
    }
    /// The name of the file, which the user may change.
    open var nameFieldStringValue = "Untitled"
    /// The title of the window; `nil` for the default one.
    open var title: String?
    /// The label of the button that confirms the choice; `nil` for the default one.
    open var prompt: String?
    /// A text above the buttons.
    open var message: String?
    /// The label of the text field for the name. It has no effect, because the window has its own label.
    open var nameFieldLabel: String?
    /// Whether the user may create folders. It has no effect: the window always permits it.
    open var canCreateDirectories = true
    /// Whether hidden files are shown. It has no effect: the window shows all items of the domains.
    open var showsHiddenFiles = false
    /// Whether the extension of the name is hidden. It has no effect: the window always shows the extension.
    open var isExtensionHidden = false
    /// Whether the user may hide the extension. It has no effect: the window never hides the extension.
    open var canSelectHiddenExtension = false
    /// Whether files of other types may be saved. It has no effect.
    open var allowsOtherFileTypes = false
    /// Whether packages can be entered. It has no effect: packages are shown as folders.
    open var treatsFilePackagesAsDirectories = false

    /// Creates a panel.
    public nonisolated override init() { super.init() }

    var request: PickerRequest {
        var request = PickerRequest(.save(name: suggestedName))
        request.types = allowedContentTypes.map(\.identifier)
        return request
    }

    private var suggestedName: String {
        let name = nameFieldStringValue.isEmpty ? "Untitled" : nameFieldStringValue
        guard (name as NSString).pathExtension.isEmpty, let type = allowedContentTypes.first,
            let fileExtension = type.preferredFilenameExtension
        else { return name }
        return name + "." + fileExtension
    }

    private var completeRequest: PickerRequest {
        var request = request
        request.title = title
        request.prompt = prompt
        request.message = message
        request.place = directoryURL?.path
        return request
    }

    /// Shows the panel.
    ///
    /// - Parameter handler: called once on the main thread, when the panel has ended.
    open func begin(completionHandler handler: @escaping @MainActor (NSApplication.ModalResponse) -> Void) {
        let showing = showings + 1
        start { work in
            Task { @MainActor in work() }
        } report: { event in
            Task { @MainActor [weak self] in
                // The program may have cancelled the panel, or shown it again, before this task runs.
                guard let self, showings == showing, isCancelled != nil else { return }
                handler(take(event))
            }
        } cancelled: {
            handler(.cancel)
        }
    }

    /// Shows the panel, and waits until it has ended.
    open func begin() async -> NSApplication.ModalResponse {
        await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }
    }

    /// Shows the panel, and blocks the main thread until the panel has ended. The run loop's timers and sources are
    /// served meanwhile.
    open func runModal() -> NSApplication.ModalResponse {
        let ending = Lock<PickerProcess.Event?>(nil)
        // If a function on the main queue has called this one, the main queue is not served until the panel has ended.
        // Therefore the loop below calls the delegate.
        let work = Lock<[@MainActor @Sendable () -> Void]>([])
        start { new in
            work.withLock { $0.append(new) }
        } report: { event in
            ending.withLock { $0 = event }
        } cancelled: {
            ending.withLock { $0 = .cancelled }
        }
        while true {
            let functions = work.withLock { work in
                defer { work = [] }
                return work
            }
            for function in functions { function() }
            if let event = ending.withLock({ $0 }) { return take(event) }
            // Without a source, the run loop returns at once.
            if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: Self.pause)) {
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
    }

    private static let pause = 0.02

    /// Closes the panel.
    open func cancel(_ sender: Any?) {
        picker?.close()
        picker = nil
        isCancelled.take()?()
    }

    private func start(
        performing perform: @escaping @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void,
        report: @escaping @Sendable (PickerProcess.Event) -> Void, cancelled: @escaping @MainActor () -> Void
    ) {
        cancel(nil)
        showings += 1
        pickedURLs = []
        isCancelled = cancelled
        picker = PickerProcess.start(completeRequest, review: review(perform), report: report)
    }

    private func take(_ event: PickerProcess.Event) -> NSApplication.ModalResponse {
        picker = nil
        isCancelled = nil
        switch event {
        case .picked(let urls):
            pickedURLs = urls
            return .OK
        case .cancelled: return .cancel
        case .failed(let error):
            // A panel cannot report failures, so for the program the user picked nothing.
            DocumentPickerError.note(error)
            return .cancel
        }
    }
}

/// A panel that lets the user pick files or folders in mounted domains.
///
/// Source: AppKit, `NSOpenPanel.h`.
@MainActor open class NSOpenPanel: NSSavePanel {
    /// Whether files may be picked.
    open var canChooseFiles = true
    /// Whether folders may be picked.
    open var canChooseDirectories = false
    /// Whether the user may pick more than one item.
    open var allowsMultipleSelection = false
    /// Whether symbolic links are resolved. It has no effect: the user picks the link itself.
    open var resolvesAliases = true
    /// Whether contents are downloaded before the panel ends. It has no effect: they are downloaded when they are read.
    open var canDownloadUbiquitousContents = true
    /// The picked URLs.
    open var urls: [URL] { pickedURLs }

    override var request: PickerRequest {
        var request = PickerRequest(
            canChooseDirectories ? canChooseFiles ? .filesAndFolders : .folders : .files)
        request.types = allowedContentTypes.map(\.identifier)
        request.allowsMultiple = allowsMultipleSelection
        return request
    }
}

/// The part of AppKit's application that panels need: the results of modal panels.
///
/// Source: AppKit, `NSApplication.h`.
@MainActor open class NSApplication: NSObject {
    /// The result of a modal panel.
    public struct ModalResponse: RawRepresentable, Hashable, Sendable {
        /// AppKit's number of the result.
        public let rawValue: Int

        /// Creates a result from AppKit's number.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Creates a result from AppKit's number.
        public init(_ rawValue: Int) { self.rawValue = rawValue }

        /// The user picked items.
        public static let OK = ModalResponse(1)
        /// The user picked nothing, or the panel could not be shown.
        public static let cancel = ModalResponse(0)
        /// The panel was stopped.
        public static let stop = ModalResponse(-1_000)
        /// The panel was ended.
        public static let abort = ModalResponse(-1_001)
        /// The panel is still shown.
        public static let `continue` = ModalResponse(-1_002)
    }
}
