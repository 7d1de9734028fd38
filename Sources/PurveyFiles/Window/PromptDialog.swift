import CAdwaita
import FileProviderGTK
import FileProviderUI

/// The dialog in which an extension of a provider asks the user for input.
@MainActor enum PromptDialog {
    /// Shows the dialog. Returns the user's entry for each field, or `nil` if the user cancels.
    static func ask(_ prompt: FileProviderPrompt, over window: UnsafeMutablePointer<GtkWindow>) async -> [String]? {
        await withCheckedContinuation { continuation in
            show(prompt, over: window) { continuation.resume(returning: $0) }
        }
    }

    private static func show(
        _ prompt: FileProviderPrompt, over window: UnsafeMutablePointer<GtkWindow>,
        _ answer: @escaping @MainActor ([String]?) -> Void
    ) {
        let dialog = Dialogs.make(over: window, prompt.title, prompt.message)
        var entries: [Widget] = []
        let box = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6)
        for field in prompt.fields {
            let entry: Widget = field.isSecret ? gtk_password_entry_new() : gtk_entry_new()
            gtk_editable_set_text(entry.opaque, field.text)
            entry.setAccessible(label: field.label)
            box.append(Make.label(field.label, "caption", "dim-label", wraps: true))
            box.append(entry)
            onSignal("activate", of: entry) { adw_message_dialog_response(dialog, "continue") }
            entries.append(entry)
        }
        adw_message_dialog_set_extra_child(dialog, box)
        adw_message_dialog_add_response(dialog, "continue", "Continue")
        adw_message_dialog_set_response_appearance(dialog, "continue", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog, "continue")
        Dialogs.onResponse(dialog, "cancel") { answer(nil) }
        Dialogs.onResponse(dialog, "continue") { [entries] in
            answer(entries.map { gtk_editable_get_text($0.opaque).map { String(cString: $0) } ?? "" })
        }
        gtk_window_present(dialog.object(as: GtkWindow.self))
        if let first = entries.first { gtk_widget_grab_focus(first) }
    }
}
