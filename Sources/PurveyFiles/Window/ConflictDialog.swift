import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The dialog with the two versions of a file in conflict, side by side. The user compares them, and keeps one or both.
@MainActor enum ConflictDialog {
    /// - Parameters:
    ///   - picture: returns the picture of an item's contents, if there is one.
    ///   - open: opens a version with its default program.
    static func show(
        _ conflict: ConflictPair, _ browser: Browser, over window: UnsafeMutablePointer<GtkWindow>,
        picture: (BrowserItem) -> OpaquePointer?, open: @escaping @MainActor (BrowserItem) -> Void
    ) {
        let dialog = Dialogs.make(
            over: window, "Two Versions of “\(conflict.original.name)”",
            "The file was changed at two places. The version that you do not keep is moved to the trash.",
            cancel: "Keep Both")
        let isNarrow = gtk_widget_get_width(window.object(as: GtkWidget.self)) < narrowest
        let cards = Make.box(
            isNarrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, spacing: 12,
            card("Original", conflict.original, than: conflict.copy, isNarrow, picture, open),
            card("Conflicted Copy", conflict.copy, than: conflict.original, isNarrow, picture, open))
        gtk_box_set_homogeneous(cards.object(as: GtkBox.self), 1)
        // A dialog is not higher than its window. Without a scrolled window, the cards would cover the buttons.
        let scrolled = Make.scrolled(cards)
        gtk_scrolled_window_set_policy(scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_propagate_natural_height(scrolled.opaque, 1)
        adw_message_dialog_set_extra_child(dialog, scrolled)
        for (name, label) in [("original", "Keep Original"), ("copy", "Keep Copy")] {
            adw_message_dialog_add_response(dialog, name, label)
        }
        Dialogs.onResponse(dialog, "original") { browser.resolve(conflict, keeping: .original) }
        Dialogs.onResponse(dialog, "copy") { browser.resolve(conflict, keeping: .copy) }
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }

    /// The width of a window, in pixels, from which on both cards fit side by side.
    private static let narrowest: CInt = 480

    /// Returns the description of a version: a column, or in a narrow window a row.
    private static func card(
        _ title: String, _ item: BrowserItem, than other: BrowserItem, _ isNarrow: Bool,
        _ picture: (BrowserItem) -> OpaquePointer?, _ open: @escaping @MainActor (BrowserItem) -> Void
    ) -> Widget {
        let image: Widget = gtk_image_new()
        gtk_image_set_pixel_size(image.opaque, isNarrow ? 48 : 96)
        if let picture = picture(item) {
            gtk_image_set_from_paintable(image.opaque, picture)
        } else {
            gtk_image_set_from_gicon(image.opaque, ItemWords.icon(item))
        }
        let date = item.description.modified.map { ItemWords.longDate($0) } ?? "at an unknown time"
        let isLater = (item.description.modified ?? 0) > (other.description.modified ?? 0)
        let button = Make.button("Open") { open(item) }
        button.setAccessible(label: "Open \(title)")
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        let texts = Make.box(GTK_ORIENTATION_VERTICAL, spacing: isNarrow ? 2 : 6)
        gtk_widget_set_hexpand(texts, 1)
        let lines: [(text: String, style: String)] = [
            (title, "heading"), (isLater ? "\(date), later" : date, "caption"), (ItemWords.size(item), "caption"),
            (item.condition.word, "dim-label"),
        ]
        for line in lines where !line.text.isEmpty {
            let label = Make.label(line.text, line.style, wraps: true)
            gtk_label_set_xalign(label.opaque, isNarrow ? 0 : 0.5)
            gtk_label_set_justify(label.opaque, isNarrow ? GTK_JUSTIFY_LEFT : GTK_JUSTIFY_CENTER)
            gtk_label_set_max_width_chars(label.opaque, 20)
            texts.append(label)
        }
        let card = Make.box(
            isNarrow ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL, spacing: isNarrow ? 12 : 6, image, texts,
            button)
        card.addClass("card", "condition")
        card.setAccessible(label: "\(title): \(date)")
        return card
    }
}
