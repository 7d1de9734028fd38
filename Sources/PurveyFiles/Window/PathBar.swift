import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// The folders from the domain to the current folder, as buttons.
@MainActor final class PathBar {
    let widget: Widget
    private let box = Make.box(GTK_ORIENTATION_HORIZONTAL)
    private let browser: Browser

    /// Whether there is room for the current folder only.
    var isNarrow = false {
        didSet {
            // A single name is shortened rather than scrolled.
            gtk_scrolled_window_set_policy(
                widget.opaque, isNarrow ? GTK_POLICY_NEVER : GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER)
            refresh()
        }
    }

    init(_ browser: Browser) {
        self.browser = browser
        widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER)
        gtk_scrolled_window_set_child(widget.opaque, box)
        gtk_scrolled_window_set_propagate_natural_width(widget.opaque, 1)
        gtk_widget_set_hexpand(widget, 1)
        gtk_widget_set_valign(box, GTK_ALIGN_CENTER)
        box.addClass("path-bar")
        widget.setAccessible(label: "Path")
    }

    func refresh() {
        box.removeChildren { gtk_box_remove(box.object(as: GtkBox.self), $0) }
        let ancestry = browser.location.ancestry
        let shown = isNarrow ? ancestry.suffix(1) : ancestry[...]
        for (index, location) in shown.enumerated() {
            if index > 0 {
                let separator = Make.label("›", "dim-label")
                box.append(separator)
            }
            let isCurrent = location == browser.location
            let label = Make.label(location.title)
            gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
            gtk_label_set_max_width_chars(label.opaque, 24)
            // A name is not shortened below this number of characters.
            gtk_label_set_width_chars(label.opaque, CInt(min(location.title.count, isNarrow ? 4 : 20)))
            let button: Widget = gtk_button_new()
            gtk_button_set_child(button.object(as: GtkButton.self), label)
            button.addClass("flat")
            if isCurrent { label.addClass("heading") } else { label.addClass("dim-label") }
            button.setAccessible(label: isCurrent ? "\(location.title), current folder" : "Go to \(location.title)")
            onSignal("clicked", of: button) { [browser] in browser.go(to: location) }
            box.append(button)
        }
        scrollToEnd()
    }

    private func scrollToEnd() {
        // The new buttons have no size yet.
        Task { [widget] in
            try? await Task.sleep(for: .milliseconds(60))
            let adjustment = gtk_scrolled_window_get_hadjustment(widget.opaque)
            gtk_adjustment_set_value(adjustment, gtk_adjustment_get_upper(adjustment))
        }
    }
}
