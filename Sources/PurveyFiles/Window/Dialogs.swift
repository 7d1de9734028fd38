import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// The dialogs of the window that ask for a password, or whether to delete items permanently or to replace a file.
@MainActor enum Dialogs {
    /// Returns a dialog with a button that cancels. Heading and body are plain text.
    static func make(
        over window: UnsafeMutablePointer<GtkWindow>, _ heading: String, _ body: String, cancel: String = "Cancel"
    ) -> UnsafeMutablePointer<AdwMessageDialog> {
        let widget: Widget = adw_message_dialog_new(window, heading, body)
        let dialog = widget.object(as: AdwMessageDialog.self)
        adw_message_dialog_add_response(dialog, "cancel", cancel)
        adw_message_dialog_set_close_response(dialog, "cancel")
        return dialog
    }

    /// Calls a closure when the user chooses the button `name` of a dialog.
    static func onResponse(
        _ dialog: UnsafeMutablePointer<AdwMessageDialog>, _ name: String, _ action: @escaping @MainActor () -> Void
    ) {
        Signals.pointer("response", of: dialog) { response in
            guard let response, String(cString: response.assumingMemoryBound(to: CChar.self)) == name else { return }
            action()
        }
    }

    /// Asks whether to delete items permanently.
    static func confirmDeletion(
        of items: [BrowserItem], over window: UnsafeMutablePointer<GtkWindow>, _ action: @escaping @MainActor () -> Void
    ) {
        let dialog = make(
            over: window, "Delete \(Browser.words(for: items)) Forever?", "They cannot be restored.")
        adw_message_dialog_add_response(dialog, "delete", "Delete Forever")
        adw_message_dialog_set_response_appearance(dialog, "delete", ADW_RESPONSE_DESTRUCTIVE)
        onResponse(dialog, "delete", action)
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }

    /// Asks whether to replace the existing file that has the given name.
    static func confirmReplacement(
        of name: String, over window: UnsafeMutablePointer<GtkWindow>, _ action: @escaping @MainActor () -> Void
    ) {
        let dialog = make(over: window, "Replace “\(name)”?", "The folder has a file of that name.")
        adw_message_dialog_add_response(dialog, "replace", "Replace")
        adw_message_dialog_set_response_appearance(dialog, "replace", ADW_RESPONSE_DESTRUCTIVE)
        onResponse(dialog, "replace", action)
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }

    /// Asks for the password of a domain, until the service accepts it or the user cancels.
    static func signIn(to domain: String, _ browser: Browser, over window: UnsafeMutablePointer<GtkWindow>) {
        ask(for: domain, "Changes wait until you sign in.", browser, over: window)
    }

    private static func ask(
        for domain: String, _ words: String, _ browser: Browser, over window: UnsafeMutablePointer<GtkWindow>
    ) {
        let dialog = make(over: window, "Sign In to \(domain)", words)
        let entry: Widget = gtk_password_entry_new()
        gtk_password_entry_set_show_peek_icon(entry.opaque, 1)
        entry.setAccessible(label: "Password for \(domain)")
        adw_message_dialog_set_extra_child(dialog, entry)
        adw_message_dialog_add_response(dialog, "sign-in", "Sign In")
        adw_message_dialog_set_response_appearance(dialog, "sign-in", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog, "sign-in")
        onSignal("activate", of: entry) { adw_message_dialog_response(dialog, "sign-in") }
        onResponse(dialog, "sign-in") {
            let password = gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
            Task {
                do throws(BrowserError) {
                    try await browser.signIn(to: domain, password: password)
                } catch {
                    ask(for: domain, error.message, browser, over: window)
                }
            }
        }
        gtk_window_present(dialog.object(as: GtkWindow.self))
        gtk_widget_grab_focus(entry)
    }
}
