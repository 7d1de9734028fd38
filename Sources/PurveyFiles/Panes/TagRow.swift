import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// The tags of the selected item, each as a button that shows all items with that tag. The buttons appear when the tags
/// have been read.
@MainActor final class TagRow {
    let widget: Widget
    private let flow: Widget = gtk_flow_box_new()
    private let browser: Browser
    private var shown: BrowserItem.ID?
    private var reading: Task<Void, Never>?

    init(_ browser: Browser) {
        self.browser = browser
        gtk_flow_box_set_selection_mode(flow.opaque, GTK_SELECTION_NONE)
        gtk_flow_box_set_max_children_per_line(flow.opaque, 3)
        widget = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 2, Make.label("Tags", "caption", "dim-label"), flow)
        widget.isVisible = false
        // The pane removes the widget and adds it again later, so this object retains the widget.
        g_object_ref_sink(widget.gtkAddress)
    }

    /// Shows the tags of an item.
    func show(_ item: BrowserItem) {
        if shown != item.id { fill([]) }
        shown = item.id
        reading?.cancel()
        reading = Task { [weak self, browser] in
            let tags = await browser.tags(of: item)
            if !Task.isCancelled { self?.fill(tags) }
        }
    }

    private func fill(_ tags: [String]) {
        flow.removeChildren { gtk_flow_box_remove(flow.opaque, $0) }
        for tag in tags {
            let button = Make.button(tag, "pill-small") { [browser] in browser.go(to: .tag(tag)) }
            button.setAccessible(label: "Items with the tag \(tag)")
            gtk_flow_box_append(flow.opaque, button)
        }
        widget.isVisible = !tags.isEmpty
    }
}
