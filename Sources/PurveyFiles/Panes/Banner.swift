import CAdwaita
import FileBrowser
import FileProviderGTK

/// A bar above the items with a failure and a button for its remedy. AdwBanner is not used, because it requires
/// libadwaita 1.3.
@MainActor final class Banner {
    let widget: Widget
    private let text = Make.label("", wraps: true)
    private let button: Widget
    private let browser: Browser
    private var remedy: Remedy?

    /// Called when the user chooses the remedy.
    var whenAsked: (Remedy) -> Void = { _ in }

    init(_ browser: Browser) {
        self.browser = browser
        widget = gtk_revealer_new()
        button = gtk_button_new_with_label("")
        button.addClass("pill-small")
        gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        gtk_widget_set_hexpand(text, 1)
        gtk_label_set_lines(text.opaque, 3)
        gtk_label_set_ellipsize(text.opaque, PANGO_ELLIPSIZE_END)
        let close = Make.button(icon: "window-close-symbolic", tip: "Dismiss")
        close.addClass("flat", "circular")
        gtk_widget_set_valign(close, GTK_ALIGN_CENTER)
        let icon = Make.icon("dialog-warning-symbolic")
        let box = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, icon, text, button, close)
        box.addClass("failure")
        gtk_revealer_set_child(widget.opaque, box)
        onSignal("clicked", of: close) { browser.dismissBanner() }
        onSignal("clicked", of: button) { [weak self] in
            if let self, let remedy { whenAsked(remedy) }
        }
        refresh()
    }

    func refresh() {
        let failure = browser.banner
        // The widget is also made invisible, because screen readers find the contents of a revealer even while it hides
        // them.
        widget.isVisible = failure != nil
        gtk_revealer_set_reveal_child(widget.opaque, failure == nil ? 0 : 1)
        guard let failure else { return }
        setText(text, failure.message)
        gtk_widget_set_tooltip_text(text, failure.message)
        remedy = failure.remedy
        button.isVisible = remedy != nil
        gtk_button_set_label(button.object(as: GtkButton.self), remedy?.label ?? "")
    }
}
