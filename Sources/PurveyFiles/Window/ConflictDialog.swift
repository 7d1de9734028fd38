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
        let columns = Make.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 12,
            column("Original", conflict.original, than: conflict.copy, picture, open),
            column("Conflicted Copy", conflict.copy, than: conflict.original, picture, open))
        gtk_box_set_homogeneous(columns.object(as: GtkBox.self), 1)
        adw_message_dialog_set_extra_child(dialog, columns)
        for (name, label) in [("original", "Keep Original"), ("copy", "Keep Copy")] {
            adw_message_dialog_add_response(dialog, name, label)
        }
        Dialogs.onResponse(dialog, "original") { browser.resolve(conflict, keeping: .original) }
        Dialogs.onResponse(dialog, "copy") { browser.resolve(conflict, keeping: .copy) }
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }

    private static func column(
        _ title: String, _ item: BrowserItem, than other: BrowserItem, _ picture: (BrowserItem) -> OpaquePointer?,
        _ open: @escaping @MainActor (BrowserItem) -> Void
    ) -> Widget {
        let image: Widget = gtk_image_new()
        gtk_image_set_pixel_size(image.opaque, 96)
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
        let column = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6, image)
        let lines: [(text: String, style: String)] = [
            (title, "heading"), (isLater ? "\(date), later" : date, "caption"), (ItemWords.size(item), "caption"),
            (item.condition.word, "dim-label"),
        ]
        for line in lines where !line.text.isEmpty {
            let label = Make.label(line.text, line.style, wraps: true)
            gtk_label_set_xalign(label.opaque, 0.5)
            gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
            gtk_label_set_max_width_chars(label.opaque, 20)
            column.append(label)
        }
        column.append(button)
        column.addClass("card", "condition")
        column.setAccessible(label: "\(title): \(date)")
        return column
    }
}
