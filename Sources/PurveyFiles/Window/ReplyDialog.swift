import CAdwaita
import DomainMessages
import FileProviderGTK
import FileProviderWire

/// The dialog with the reply of a provider's action: lines of text, and a link.
@MainActor enum ReplyDialog {
    /// Shows a reply. Opens its link in the web browser if the provider requests that.
    static func show(_ title: String, _ reply: ProviderActionReply, over window: UnsafeMutablePointer<GtkWindow>) {
        if let link = reply.link, reply.opensLink, isOfWeb(link) { gtk_show_uri(window, link, guint(GDK_CURRENT_TIME)) }
        let dialog = Dialogs.make(over: window, title, "", cancel: "Close")
        let lines = reply.lines + [reply.link].compactMap(\.self)
        let label = Make.label(lines.joined(separator: "\n"), wraps: true)
        gtk_label_set_selectable(label.opaque, 1)
        gtk_widget_set_valign(label, GTK_ALIGN_START)
        let scrolled = Make.scrolled(label)
        gtk_scrolled_window_set_propagate_natural_height(scrolled.opaque, 1)
        gtk_scrolled_window_set_max_content_height(scrolled.opaque, 300)
        gtk_widget_set_size_request(scrolled, 320, -1)
        adw_message_dialog_set_extra_child(dialog, scrolled)
        if let link = reply.link {
            adw_message_dialog_add_response(dialog, "copy", "Copy Address")
            Dialogs.onResponse(dialog, "copy") {
                gdk_clipboard_set_text(gtk_widget_get_clipboard(window.object(as: GtkWidget.self)), link)
            }
        }
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }

    /// Whether a link leads to a web page. Other links are not opened, because a provider is not trusted.
    private static func isOfWeb(_ link: String) -> Bool {
        let lower = link.lowercased()
        return lower.hasPrefix("https://") || lower.hasPrefix("http://")
    }
}
