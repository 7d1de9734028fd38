import CAdwaita
import FileProviderGTK
import Glibc

/// The toasts of a window: short texts about completed work, shown at the bottom. The last toast has an undo button if
/// its work can be undone.
@MainActor final class Toasts {
    /// The widget around the content of the window.
    let widget: Widget = adw_toast_overlay_new()
    private var undoToast: OpaquePointer?

    /// The number of seconds for which a toast is shown, without and with an undo button. The environment variables
    /// `PURVEY_TOAST_TIME` and `PURVEY_UNDO_TIME` set these numbers.
    private static let seconds = (plain: setting("PURVEY_TOAST_TIME") ?? 3, undo: setting("PURVEY_UNDO_TIME") ?? 8)

    private static func setting(_ name: String) -> guint? {
        getenv(name).flatMap { UInt16(String(cString: $0)) }.map { guint($0) }
    }

    func show(_ text: String, canUndo: Bool) {
        // A toast is shown only after earlier toasts have ended. Therefore an earlier toast with an undo button is
        // dismissed.
        dismissUndo()
        let toast: OpaquePointer = adw_toast_new("")
        adw_toast_set_title(toast, Self.escaped(text))
        adw_toast_set_timeout(toast, canUndo ? Self.seconds.undo : Self.seconds.plain)
        if canUndo {
            adw_toast_set_button_label(toast, "Undo")
            adw_toast_set_action_name(toast, "win.undo")
            undoToast = toast
            onSignal("dismissed", of: toast) { [weak self] in
                if self?.undoToast == toast { self?.undoToast = nil }
            }
        }
        adw_toast_overlay_add_toast(widget.opaque, toast)
    }

    /// Removes the toast with an undo button, if one is shown.
    func dismissUndo() {
        if let toast = undoToast.take() { adw_toast_dismiss(toast) }
    }

    /// Returns a text escaped for a label that interprets markup.
    private static func escaped(_ text: String) -> String {
        guard let escaped = g_markup_escape_text(text, -1) else { return "" }
        defer { g_free(escaped) }
        return String(cString: escaped)
    }
}
