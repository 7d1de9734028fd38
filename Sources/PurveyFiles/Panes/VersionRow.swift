import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The versions of the selected file: its conflicted copy, and the provider's actions about versions. The actions
/// appear when they have been read.
@MainActor final class VersionRow {
    let widget: Widget
    private let box = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6)
    private let browser: Browser
    private var shown: BrowserItem.ID?
    private var actions: [ActionDescription] = []
    private var reading: Task<Void, Never>?

    /// Called when the user wants to compare a file with its conflicted copy.
    var whenCompared: () -> Void = {}

    init(_ browser: Browser) {
        self.browser = browser
        widget = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6, Make.label("Versions", "caption", "dim-label"), box)
        widget.isVisible = false
        // The pane removes the widget and adds it again later, so this object retains the widget.
        g_object_ref_sink(widget.gtkAddress)
    }

    /// Shows the versions of an item.
    func show(_ item: BrowserItem) {
        if shown != item.id { actions = [] }
        shown = item.id
        fill(item)
        reading?.cancel()
        reading = Task { [weak self, browser] in
            let actions = await browser.actions(for: item).filter(\.concernsVersions)
            guard !Task.isCancelled, let self, actions != self.actions else { return }
            self.actions = actions
            fill(item)
        }
    }

    private func fill(_ item: BrowserItem) {
        box.removeChildren { gtk_box_remove(box.object(as: GtkBox.self), $0) }
        let conflict = browser.conflictAtHand(of: item)
        if let conflict {
            let isCopy = conflict.copy.id == item.id
            let other = isCopy ? conflict.original : conflict.copy
            let label = Make.label(
                "\(isCopy ? "Conflicted copy of" : "Conflicted copy:") “\(other.name)”", wraps: true)
            gtk_label_set_max_width_chars(label.opaque, 28)
            box.append(label)
            add("Compare Versions") { [weak self] in self?.whenCompared() }
        }
        for action in actions {
            add(action.name) { [browser] in browser.perform(action, on: item) }
        }
        widget.isVisible = conflict != nil || !actions.isEmpty
    }

    private func add(_ label: String, _ action: @escaping @MainActor () -> Void) {
        let button = Make.button(label, action: action)
        button.setAccessible(label: label)
        gtk_widget_set_halign(button, GTK_ALIGN_START)
        box.append(button)
    }
}
