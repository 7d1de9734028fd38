import CAdwaita
import DocumentPicker
import FileBrowser
import FileProvider
import FileProviderGTK

/// The bar below the items of a window that picks for another program: a name, and the buttons.
@MainActor final class PickerBar {
    let widget = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6)
    private let request: PickerRequest
    private let browser: Browser
    private let pickButton: Widget
    private let cancelButton: Widget
    private var newButton: Widget?
    private var nameEntry: Widget?

    /// Called with the picked items, or with the new file, when the user picks.
    var whenPicked: (Pick) -> Void = { _ in }
    /// Called when the user cancels.
    var whenCancelled: () -> Void = {}
    /// Called when the user wants a new document in the current folder.
    var whenDocumentWanted: () -> Void = {}

    init(_ request: PickerRequest, _ browser: Browser) {
        self.request = request
        self.browser = browser
        pickButton = gtk_button_new_with_label(request.prompt ?? request.usualPrompt)
        pickButton.addClass("suggested-action")
        cancelButton = gtk_button_new_with_label(request.canBrowse ? "Close" : "Cancel")
        widget.addClass("picker-bar")
        if let message = request.message { widget.append(Make.label(message, "dim-label", wraps: true)) }
        let row = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6)
        if case .save(let name) = request.purpose { row.append(entry(name)) } else { row.append(start()) }
        for button in [cancelButton, pickButton] { row.append(button) }
        widget.append(row)
        onSignal("clicked", of: pickButton) { [weak self] in self?.pick() }
        onSignal("clicked", of: cancelButton) { [weak self] in self?.whenCancelled() }
        refresh()
    }

    /// Returns the text entry for the name of a new file.
    private func entry(_ name: String) -> Widget {
        let entry: Widget = gtk_entry_new()
        gtk_editable_set_text(entry.opaque, name)
        gtk_widget_set_hexpand(entry, 1)
        entry.setAccessible(label: "Name of the new file")
        onSignal("changed", of: entry) { [weak self] in self?.refresh() }
        onSignal("activate", of: entry) { [weak self] in self?.pick() }
        nameEntry = entry
        return entry
    }

    /// Returns the left part of a bar without an entry for a name. It contains the button for a new document if the
    /// program creates documents.
    private func start() -> Widget {
        let start = Make.box(GTK_ORIENTATION_HORIZONTAL)
        gtk_widget_set_hexpand(start, 1)
        if case .browse(let label?) = request.purpose {
            let button = Make.button(label) { [weak self] in self?.whenDocumentWanted() }
            start.append(button)
            newButton = button
        }
        return start
    }

    private var name: String {
        nameEntry.flatMap { gtk_editable_get_text($0.opaque) }.map { String(cString: $0) } ?? ""
    }

    /// Moves the focus to the entry for the name, and selects the part before the extension. Returns `false` if the bar
    /// has no entry.
    func grabFocus() -> Bool {
        guard let nameEntry else { return false }
        gtk_widget_grab_focus(nameEntry)
        gtk_editable_select_region(nameEntry.opaque, 0, name.stemLength)
        return true
    }

    /// Enables the buttons that apply to the current selection, folder and name.
    func refresh() {
        gtk_widget_set_sensitive(pickButton, browser.pick(for: request, name: name) == nil ? 0 : 1)
        if let newButton { gtk_widget_set_sensitive(newButton, browser.canAdd ? 1 : 0) }
        guard let nameEntry else { return }
        let fault = Browser.fault(ofName: name)
        gtk_widget_set_tooltip_text(nameEntry, fault)
        nameEntry.setClass("error", fault != nil)
    }

    /// Picks the selection. Does nothing if the selection cannot be picked.
    func pick() {
        if let pick = browser.pick(for: request, name: name) { whenPicked(pick) }
    }

    /// Copies the name of an existing file into the entry, so that the user may replace that file or change the name.
    func takeName(of item: BrowserItem) {
        if !item.isFolder { setName(item.name) }
    }

    /// Changes the name of the new file.
    func setName(_ name: String) {
        if let nameEntry { gtk_editable_set_text(nameEntry.opaque, name) }
    }
}

extension PickerRequest {
    /// The label of the button that confirms the choice, if the program that requested the picker does not set one.
    var usualPrompt: String {
        switch purpose {
        case .files, .filesAndFolders, .folders: "Choose"
        case .save: "Save"
        case .browse: "Open"
        }
    }

    /// The title of the window, if the program that requested the picker does not set one.
    var usualTitle: String {
        switch purpose {
        case .files: allowsMultiple ? "Choose Files" : "Choose a File"
        case .folders: allowsMultiple ? "Choose Folders" : "Choose a Folder"
        case .filesAndFolders: allowsMultiple ? "Choose Items" : "Choose an Item"
        case .save: "Save a File"
        case .browse: "Documents"
        }
    }

    /// Whether the user picks a folder, or the folder for a new file or document.
    var needsFolder: Bool {
        switch purpose {
        case .folders, .save: true
        case .browse(let newDocument): newDocument != nil
        case .files, .filesAndFolders: false
        }
    }

    /// Whether the window stays open after the user has picked.
    var canBrowse: Bool { if case .browse = purpose { true } else { false } }
}
