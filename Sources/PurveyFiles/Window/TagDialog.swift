import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// The dialog for the tags of the selection: one line with the tags, separated by commas.
@MainActor enum TagDialog {
    /// Shows the tags of items, and changes them when the user accepts.
    static func show(for items: [BrowserItem], _ browser: Browser, over window: UnsafeMutablePointer<GtkWindow>) {
        Task {
            // The dialog shows only the tags that all items have. Other tags are not changed.
            var common: [String]?
            for item in items {
                let tags = await browser.tags(of: item)
                common = common.map { $0.filter(tags.contains) } ?? tags
            }
            show(common ?? [], for: items, browser, over: window)
        }
    }

    private static func show(
        _ tags: [String], for items: [BrowserItem], _ browser: Browser, over window: UnsafeMutablePointer<GtkWindow>
    ) {
        let dialog = Dialogs.make(
            over: window, "Tags of \(Browser.words(for: items))", "Separate tags with commas, such as “Red, Urgent”.")
        let entry: Widget = gtk_entry_new()
        entry.setAccessible(label: "Tags")
        gtk_editable_set_text(entry.opaque, tags.joined(separator: ", "))
        let fault = Make.label("", "caption", "error", wraps: true)
        fault.isVisible = false
        adw_message_dialog_set_extra_child(
            dialog, Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6, entry, fault))
        adw_message_dialog_add_response(dialog, "save", "Save")
        adw_message_dialog_set_response_appearance(dialog, "save", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog, "save")
        onSignal("changed", of: entry) {
            let reason = Browser.fault(ofTags: text(of: entry))
            setText(fault, reason ?? "")
            fault.isVisible = reason != nil
            adw_message_dialog_set_response_enabled(dialog, "save", reason == nil ? 1 : 0)
        }
        onSignal("activate", of: entry) {
            if Browser.fault(ofTags: text(of: entry)) == nil { adw_message_dialog_response(dialog, "save") }
        }
        Dialogs.onResponse(dialog, "save") {
            browser.setTags(items, from: tags, to: Browser.tags(in: text(of: entry)))
        }
        gtk_window_present(dialog.object(as: GtkWindow.self))
        gtk_widget_grab_focus(entry)
    }

    private static func text(of entry: Widget) -> String {
        gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
    }
}
