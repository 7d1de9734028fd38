import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// Information about the selection: kind, state with its reason and remedy, size, dates, place, tags, versions.
@MainActor final class InfoPane {
    let widget: Widget
    private let content = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 12)
    private let browser: Browser
    private let tags: TagRow
    private let versions: VersionRow

    /// Called when the user chooses the remedy of a failure.
    var whenAsked: (Remedy) -> Void = { _ in }
    /// Called when the user wants to compare a file with its conflicted copy.
    var whenCompared: () -> Void {
        get { versions.whenCompared }
        set { versions.whenCompared = newValue }
    }

    init(_ browser: Browser) {
        self.browser = browser
        tags = TagRow(browser)
        versions = VersionRow(browser)
        content.setMargins(18)
        widget = Make.scrolled(content)
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_widget_set_hexpand(widget, 0)
        gtk_widget_set_size_request(widget, AdaptiveLayout.paneWidth, -1)
        widget.addClass("info-pane", "background")
        widget.setAccessible(label: "Information")
        refresh()
    }

    func refresh() {
        content.removeChildren { gtk_box_remove(content.object(as: GtkBox.self), $0) }
        let items = browser.selection
        if items.count == 1 {
            show(items[0])
        } else if items.isEmpty {
            title(nil, browser.location.title)
            row("Items", "\(browser.listing.count)")
        } else {
            title(nil, Browser.words(for: items))
            let sizes = items.compactMap { $0.isFolder ? nil : $0.description.size }
            row("Files", "\(items.count { !$0.isFolder })")
            row("Folders", "\(items.count { $0.isFolder })")
            if !sizes.isEmpty { row("Size", ItemWords.total(sizes)) }
        }
    }

    private func show(_ item: BrowserItem) {
        title(ItemWords.icon(item), item.name)
        let condition = item.condition
        if !condition.word.isEmpty { show(condition) }
        row("Kind", ItemWords.kind(item))
        if !item.isFolder { row("Size", ItemWords.size(item)) }
        row("Modified", item.description.modified.map(ItemWords.longDate))
        row("Service", item.domain)
        row("Folder", item.isTrashed ? "Trash" : item.folder.isEmpty ? "/" : item.folder)
        content.append(tags.widget)
        tags.show(item)
        if !item.isFolder {
            content.append(versions.widget)
            versions.show(item)
        }
        row("Link to", item.description.target)
        if item.description.isPinnedByFolder { row("Kept", "With its folder") }
    }

    private func title(_ icon: OpaquePointer?, _ text: String) {
        if let icon {
            let image: Widget = gtk_image_new_from_gicon(icon)
            gtk_image_set_pixel_size(image.opaque, 96)
            content.append(image)
        }
        let label = Make.label(text, "title-3", wraps: true)
        gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
        gtk_label_set_xalign(label.opaque, 0.5)
        gtk_label_set_max_width_chars(label.opaque, 22)
        gtk_label_set_selectable(label.opaque, 1)
        gtk_widget_set_focusable(label, 0)
        content.append(label)
    }

    private func show(_ condition: ItemCondition) {
        let heading = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6)
        if let icon = condition.icon { heading.append(Make.icon(icon)) }
        heading.append(Make.label(condition.word, "heading"))
        let text = Make.label(condition.explanation, wraps: true)
        gtk_label_set_max_width_chars(text.opaque, 28)
        let card = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6, heading, text)
        if let remedy = condition.remedy {
            let button = Make.button(remedy.label, "suggested-action") { [weak self] in self?.whenAsked(remedy) }
            gtk_widget_set_halign(button, GTK_ALIGN_START)
            card.append(button)
        }
        card.addClass("card", "condition")
        content.append(card)
    }

    private func row(_ title: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        let label = Make.label(value, wraps: true)
        gtk_label_set_max_width_chars(label.opaque, 28)
        content.append(
            Make.box(GTK_ORIENTATION_VERTICAL, spacing: 2, Make.label(title, "caption", "dim-label"), label))
    }
}
