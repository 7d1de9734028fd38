import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The places at the side of the window: the recent files, favorites, trash and transfers, and the domains with their
/// state.
@MainActor final class Sidebar {
    let widget: Widget
    private let list: Widget
    private let browser: Browser
    private var locations: [Location] = []
    private var shownDomains: [DomainPlace]?

    /// Called when the user chooses a place.
    var whenChosen: (Location) -> Void = { _ in }

    private static let places: [(location: Location, icon: String)] = [
        (.recents, "document-open-recent-symbolic"), (.favorites, "starred-symbolic"),
        (.trash, "user-trash-symbolic"), (.transfers, "network-transmit-receive-symbolic"),
    ]

    init(_ browser: Browser) {
        self.browser = browser
        list = gtk_list_box_new()
        list.addClass("navigation-sidebar")
        list.setAccessible(label: "Places")
        let scrolled = Make.scrolled(list)
        gtk_scrolled_window_set_policy(scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        widget = Make.box(GTK_ORIENTATION_VERTICAL)
        let bar: Widget = adw_header_bar_new()
        adw_header_bar_set_title_widget(bar.opaque, adw_window_title_new("Files", ""))
        adw_header_bar_set_show_end_title_buttons(bar.opaque, 0)
        widget.append(bar)
        widget.append(scrolled)
        gtk_widget_set_size_request(widget, AdaptiveLayout.sidebarWidth, -1)
        // Otherwise, the sidebar would share the window's spare width with the content.
        gtk_widget_set_hexpand(widget, 0)
        // A place is chosen by the activation of its row, not by its selection, because GTK also selects a row when the
        // focus moves to the list.
        Signals.pointer("row-activated", of: list) { [weak self] row in self?.activated(row) }
        gtk_list_box_set_header_func(
            list.opaque,
            { row, before, _ in
                // SAFETY: GTK calls this function on the main thread.
                nonisolated(unsafe) let row = row
                let isFirst = before == nil
                MainActor.assumeIsolated { Sidebar.setHeader(of: row, isFirst: isFirst) }
            }, nil, nil)
        refresh()
    }

    /// Puts a heading above the first domain.
    private static func setHeader(of row: UnsafeMutablePointer<GtkListBoxRow>?, isFirst: Bool) {
        guard let row else { return }
        guard !isFirst, Int(gtk_list_box_row_get_index(row)) == places.count else {
            return gtk_list_box_row_set_header(row, nil)
        }
        let label = Make.label("Services", "caption-heading", "dim-label")
        label.setMargins(10)
        gtk_list_box_row_set_header(row, label)
    }

    /// Updates the places, and the selection among them.
    func refresh() {
        if browser.domains != shownDomains {
            shownDomains = browser.domains
            list.removeChildren { gtk_list_box_remove(list.opaque, $0) }
            locations = Self.places.map(\.location) + browser.domains.map(\.location)
            for place in Self.places {
                add(Self.row(icon: place.icon, place.location.title), named: place.location.title)
            }
            for domain in browser.domains { add(Self.row(domain), named: "\(domain.name), \(domain.summary)") }
        }
        selectCurrent()
    }

    /// Whether the focus is on a place.
    var hasFocus: Bool { gtk_widget_get_focus_child(list) != nil }

    /// Moves the focus to the place that is shown, or to the first place.
    func grabFocus() {
        guard let row = gtk_list_box_get_selected_row(list.opaque) ?? gtk_list_box_get_row_at_index(list.opaque, 0)
        else { return }
        gtk_widget_grab_focus(UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
    }

    private func add(_ content: Widget, named name: String) {
        gtk_list_box_append(list.opaque, content)
        gtk_widget_get_parent(content)?.setAccessible(label: name)
    }

    private func selectCurrent() {
        let current: Location =
            browser.location.domain.map { .folder(domain: $0, path: "") } ?? browser.location
        let index = locations.firstIndex(of: current)
        gtk_list_box_select_row(
            list.opaque, index.flatMap { gtk_list_box_get_row_at_index(list.opaque, CInt($0)) })
    }

    private func location(of row: UnsafeMutableRawPointer?) -> Location? {
        guard let row else { return nil }
        let index = Int(gtk_list_box_row_get_index(row.assumingMemoryBound(to: GtkListBoxRow.self)))
        return locations.indices.contains(index) ? locations[index] : nil
    }

    private func activated(_ row: UnsafeMutableRawPointer?) {
        if let location = location(of: row) { whenChosen(location) }
    }

    // MARK: Rows

    private static func row(icon: String, _ title: String) -> Widget {
        let row = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, Make.icon(icon), Make.label(title))
        row.addClass("place")
        return row
    }

    private static func row(_ place: DomainPlace) -> Widget {
        let title = Make.label(place.name)
        gtk_widget_set_hexpand(title, 1)
        // A long summary has a second line. It must not widen the sidebar.
        let summary = Make.label(place.summary, "caption", "dim-label", wraps: true)
        gtk_label_set_max_width_chars(summary.opaque, 20)
        let texts = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 2, title, summary)
        if let space = place.space, place.failure == nil {
            let bar: Widget = gtk_level_bar_new()
            gtk_level_bar_set_value(bar.opaque, space.fraction)
            bar.setAccessible(label: space.words)
            bar.addClass("space")
            texts.append(bar)
        }
        let row = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, Make.icon("folder-remote-symbolic"), texts)
        if let failure = place.failure {
            let icon = Make.icon(place.activity.needsSignIn ? "dialog-password-symbolic" : "dialog-warning-symbolic")
            icon.addClass("warning")
            icon.setTip(failure.message)
            row.append(icon)
        }
        row.addClass("place")
        gtk_widget_set_tooltip_text(row, "\(place.name): \(place.details)")
        return row
    }
}
