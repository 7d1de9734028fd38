import CAdwaita
import DocumentPicker
import FileBrowser
import FileProvider
import FileProviderGTK
import LinuxSystem

/// The part of a window that picks items for another program.
@MainActor final class Picker {
    let request: PickerRequest
    let bar: PickerBar
    private let receiver: PickReceiver
    private let browser: Browser
    private var window: UnsafeMutablePointer<GtkWindow>?
    /// Whether the window is closing or has closed.
    private var isEnding = false
    /// Whether the other program is being asked about a pick. The user can cancel meanwhile.
    private var isAsking = false
    /// The exit status of this program: 1 until the user has picked an item.
    private(set) var status: CInt = 1

    /// - Throws: the system's error if the program that requested the picker has passed no socket.
    init(_ request: PickerRequest, _ browser: Browser) throws(Errno) {
        self.request = request
        self.browser = browser
        receiver = try PickReceiver(request)
        bar = PickerBar(request, browser)
        bar.whenPicked = { [weak self] in self?.confirm($0) }
        bar.whenCancelled = { [weak self] in self?.cancel() }
        bar.whenDocumentWanted = { [weak self] in self?.makeDocument() }
        receiver.whenGone = { [weak self] in self?.close() }
        receiver.whenRevealed = { path in
            browser.begin(atDirectory: path.parentPath, selecting: path.lastPathName)
        }
    }

    var title: String { request.title ?? request.usualTitle }

    /// Attaches the picker to its window. If the user closes the window, the program that requested the picker receives
    /// a message first.
    func attach(to window: UnsafeMutablePointer<GtkWindow>) {
        self.window = window
        Signals.question("close-request", of: window) { [weak self] in
            self?.cancel()
            return true
        }
        // Entries and the search handle the Escape key before this controller does.
        let keys: OpaquePointer = gtk_event_controller_key_new()
        Signals.key(keys) { [weak self] key in
            guard key == guint(GDK_KEY_Escape) else { return false }
            self?.cancel()
            return true
        }
        gtk_widget_add_controller(window.object(as: GtkWidget.self), keys)
    }

    /// Picks an item that the user opened. Returns whether the picker handled the item. If so, the item is not opened
    /// with a program.
    func take(_ item: BrowserItem) -> Bool {
        guard !item.isFolder else { return false }
        if case .save = request.purpose { bar.takeName(of: item) } else { bar.pick() }
        return true
    }

    /// Ends without a result. Does nothing if the window is already closing.
    func cancel() {
        guard !isEnding else { return }
        isEnding = true
        Task {
            await receiver.sendDismissal()
            close()
        }
        // The other program may not answer.
        Task {
            try? await Task.sleep(for: Self.patience)
            close()
        }
    }

    private static let patience: Duration = .seconds(2)

    private func close() {
        isEnding = true
        if let window = window.take() { gtk_window_destroy(window) }
    }

    private func confirm(_ pick: Pick) {
        if case .newFile(let folder, let name) = pick {
            ask { picker throws(BrowserError) in try await picker.confirm(name, in: folder) }
        } else {
            send(pick)
        }
    }

    /// Sends the name of a new file if the other program accepts the name. If a file of this name exists, sends the
    /// name only after the user has confirmed that the file is replaced.
    private func confirm(_ name: String, in folder: String) async throws(BrowserError) {
        guard let accepted = try await receiver.acceptedName(name) else {
            throw BrowserError("The name “\(name)” cannot be used here")
        }
        // The user may have opened another folder meanwhile.
        guard !isEnding, browser.currentFolder == folder else { return }
        if accepted != name { bar.setName(accepted) }
        let pick = Pick.newFile(folder: folder, name: accepted)
        guard browser.hasItem(named: accepted), let window else { return try await receive(pick) }
        Dialogs.confirmReplacement(of: accepted, over: window) { [weak self] in self?.send(pick) }
    }

    private func send(_ pick: Pick) {
        ask { picker throws(BrowserError) in try await picker.receive(pick) }
    }

    /// Sends a pick, and closes the window if the other program accepts it.
    private func receive(_ pick: Pick) async throws(BrowserError) {
        try await receiver.send(pick)
        status = 0
        if !request.canBrowse { close() }
    }

    /// Runs a request to the other program, unless another request is running. Shows a failure of the request.
    private func ask(_ body: @escaping @MainActor (Picker) async throws(BrowserError) -> Void) {
        guard !isEnding, !isAsking else { return }
        isAsking = true
        Task {
            do throws(BrowserError) {
                try await body(self)
            } catch {
                if !isEnding { browser.report(error) }
            }
            isAsking = false
        }
    }

    private func makeDocument() {
        guard let folder = browser.currentFolder else { return }
        Task {
            do throws(BrowserError) {
                if let name = try await receiver.requestDocument(in: folder) {
                    browser.begin(atDirectory: folder, selecting: name)
                }
            } catch {
                browser.report(error)
            }
        }
    }
}
