import CAdwaita
import FileBrowser
import FileProviderGTK
import ItemValues

/// The dialog with an alert that a provider requires before an operation.
@MainActor enum AlertDialog {
    /// Shows an alert until the user answers it.
    static func ask(
        _ alert: InteractionAlert, over window: UnsafeMutablePointer<GtkWindow>
    ) async -> AlertAnswer {
        await withCheckedContinuation { continuation in
            show(alert, over: window) { continuation.resume(returning: $0) }
        }
    }

    private static func show(
        _ alert: InteractionAlert, over window: UnsafeMutablePointer<GtkWindow>,
        _ answer: @escaping @MainActor (AlertAnswer) -> Void
    ) {
        let cancel = alert.cancelLabel ?? (alert.canContinue ? "Cancel" : "Close")
        let dialog = Dialogs.make(over: window, alert.title, alert.subtitle, cancel: cancel)
        let box = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 6)
        var check: Widget?
        if alert.suppression != nil {
            let button: Widget = gtk_check_button_new_with_label("Do not show this again")
            box.append(button)
            check = button
        }
        if let address = alert.helpURL {
            box.append(gtk_link_button_new_with_label(address, "Help"))
        }
        if check != nil || alert.helpURL != nil { adw_message_dialog_set_extra_child(dialog, box) }
        Dialogs.onResponse(dialog, "cancel") { answer(.cancelled) }
        if alert.canContinue {
            adw_message_dialog_add_response(dialog, "continue", alert.continueLabel ?? "Continue")
            adw_message_dialog_set_response_appearance(
                dialog, "continue", alert.isDestructive ? ADW_RESPONSE_DESTRUCTIVE : ADW_RESPONSE_SUGGESTED)
            Dialogs.onResponse(dialog, "continue") {
                let suppresses = check.map { gtk_check_button_get_active($0.object(as: GtkCheckButton.self)) != 0 }
                answer(.continued(suppresses: suppresses ?? false))
            }
        }
        gtk_window_present(dialog.object(as: GtkWindow.self))
    }
}
