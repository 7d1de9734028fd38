import CAdwaita
import FileBrowser
import FileProviderGTK

/// A page that is shown instead of the items while they are read, if they cannot be read, or if there are none.
@MainActor final class StatusView {
    let widget: Widget
    private let browser: Browser
    private let spinner: Widget
    private var button: Widget?

    /// Called when the user chooses the remedy.
    var whenAsked: (Remedy) -> Void = { _ in }

    init(_ browser: Browser) {
        self.browser = browser
        widget = adw_status_page_new()
        spinner = gtk_spinner_new()
        gtk_widget_set_size_request(spinner, 32, 32)
        gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER)
        g_object_ref_sink(spinner.gtkAddress)
    }

    private func show(_ icon: String?, _ title: String, _ text: String, _ remedy: Remedy? = nil) {
        adw_status_page_set_icon_name(widget.opaque, icon)
        adw_status_page_set_title(widget.opaque, title)
        // The text is escaped, because the description is interpreted as markup, and names may contain any characters.
        let escaped = g_markup_escape_text(text, -1)
        adw_status_page_set_description(widget.opaque, escaped)
        g_free(escaped)
        gtk_spinner_stop(spinner.opaque)
        guard let remedy else { return adw_status_page_set_child(widget.opaque, nil) }
        let button = Make.button(remedy.label, "pill", "suggested-action") { [weak self] in self?.whenAsked(remedy) }
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        adw_status_page_set_child(widget.opaque, button)
    }

    func refresh() {
        if let error = browser.listingError {
            return show("dialog-warning-symbolic", "This Cannot Be Shown", error.message, error.remedy ?? .reload)
        }
        if browser.isLoading {
            show(nil, "Loading…", "")
            gtk_spinner_start(spinner.opaque)
            return adw_status_page_set_child(widget.opaque, spinner)
        }
        switch browser.location {
        case .folder: show("folder-symbolic", "This Folder Is Empty", "New folders and pasted files appear in it.")
        case .recents where browser.areDomainsKnown && browser.domains.isEmpty:
            show(
                "folder-remote-symbolic", "No Services Yet",
                "“purvey domains add” adds one. It then appears at the side.")
        case .recents:
            show("document-open-recent-symbolic", "No Recent Files", "Files that you open and change appear here.")
        case .favorites:
            show("starred-symbolic", "No Favorites", "“Add to Favorites” in the menu of an item adds it.")
        case .trash: show("user-trash-symbolic", "The Trash Is Empty", "Items that you delete appear in it.")
        case .tag(let tag): show("user-bookmarks-symbolic", "No Items", "No item of the services has the tag “\(tag)”.")
        case .transfers: show("network-idle-symbolic", "No Transfers", "All changes are sent.")
        case .search(let text, let domain):
            let place = domain.map { " in \($0)" } ?? ""
            show("edit-find-symbolic", "No Results", "No name\(place) matches “\(text)”.")
        }
    }
}
