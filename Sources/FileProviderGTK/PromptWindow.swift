import CGTK
import FileProviderUI
import Foundation

extension FPUIActionExtensionContext {
    /// Asks the user in a window. If no window can be shown, asks on the terminal, as ``ask(_:)`` does.
    ///
    /// - Returns: an answer for each field.
    /// - Throws: the errors of ``ask(_:)``.
    @MainActor public func askInWindow(_ prompt: FileProviderPrompt) async throws -> [String] {
        guard FileProviderWindow.isPossible(for: self) else { return try await ask(prompt) }
        let window = try PromptWindow(prompt, for: self)
        guard let answers = await window.answers() else {
            throw NSError(
                domain: FPUIErrorDomain, code: Int(FPUIExtensionErrorCode.userCancelled.rawValue),
                userInfo: [NSLocalizedDescriptionKey: "It was cancelled."])
        }
        return answers
    }
}

/// A prompt in a window: its message, a line for each field, and two buttons.
@MainActor private final class PromptWindow {
    private let window: FileProviderWindow
    private var entries: [UnsafeMutablePointer<GtkWidget>] = []
    private var answer: CheckedContinuation<[String]?, Never>?

    init(_ prompt: FileProviderPrompt, for context: FPUIActionExtensionContext) throws {
        window = try FileProviderWindow(prompt.title, for: context)
        gtk_window_set_resizable(window.window, 0)
        gtk_window_set_child(window.window, content(prompt))
        window.whenClosed = { [weak self] in self?.end(nil) }
    }

    /// Shows the window and waits for the user's answers; returns `nil` if the user cancels.
    func answers() async -> [String]? {
        await withCheckedContinuation { continuation in
            answer = continuation
            window.show()
        }
    }

    private func end(_ answers: [String]?) {
        window.close()
        answer.take()?.resume(returning: answers)
    }

    // MARK: Contents

    private func content(_ prompt: FileProviderPrompt) -> UnsafeMutablePointer<GtkWidget>? {
        let content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
        for setMargin in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] {
            setMargin(content, 18)
        }
        if !prompt.message.isEmpty { add(label(prompt.message), to: content) }
        if !prompt.fields.isEmpty { add(fields(prompt.fields), to: content) }
        add(buttons(), to: content)
        return content
    }

    private func add(_ widget: UnsafeMutablePointer<GtkWidget>?, to box: UnsafeMutablePointer<GtkWidget>?) {
        guard let widget, let box else { return }
        gtk_box_append(box.object(as: GtkBox.self), widget)
    }

    /// Returns a label that shows the extension's text as plain text, without interpreting markup.
    private func label(_ text: String) -> UnsafeMutablePointer<GtkWidget>? {
        guard let label = gtk_label_new(text) else { return nil }
        let opaque = OpaquePointer(label)
        gtk_label_set_xalign(opaque, 0)
        gtk_label_set_wrap(opaque, 1)
        gtk_label_set_max_width_chars(opaque, 60)
        return label
    }

    private func fields(_ fields: [FileProviderPrompt.Field]) -> UnsafeMutablePointer<GtkWidget>? {
        guard let grid = gtk_grid_new() else { return nil }
        let table = grid.object(as: GtkGrid.self)
        gtk_grid_set_row_spacing(table, 6)
        gtk_grid_set_column_spacing(table, 12)
        for (row, field) in zip(CInt(0)..., fields) {
            guard let entry = field.isSecret ? gtk_password_entry_new() : gtk_entry_new() else { continue }
            gtk_editable_set_text(OpaquePointer(entry), field.text)
            gtk_widget_set_hexpand(entry, 1)
            // Enter in the last field accepts the answers; in others it moves to the next field.
            onSignal("activate", of: entry) { [weak self] in self?.activated(Int(row)) }
            gtk_grid_attach(table, label(field.label), 0, row, 1, 1)
            gtk_grid_attach(table, entry, 1, row, 1, 1)
            entries.append(entry)
        }
        return grid
    }

    private func activated(_ row: Int) {
        guard row + 1 < entries.count else { return accept() }
        gtk_widget_grab_focus(entries[row + 1])
    }

    private func buttons() -> UnsafeMutablePointer<GtkWidget>? {
        let buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)
        gtk_widget_set_halign(buttons, GTK_ALIGN_END)
        if let cancel = gtk_button_new_with_label("Cancel") {
            onSignal("clicked", of: cancel) { [weak self] in self?.end(nil) }
            add(cancel, to: buttons)
        }
        if let accept = gtk_button_new_with_label("OK") {
            onSignal("clicked", of: accept) { [weak self] in self?.accept() }
            gtk_widget_add_css_class(accept, "suggested-action")
            gtk_window_set_default_widget(window.window, accept)
            add(accept, to: buttons)
        }
        return buttons
    }

    private func accept() {
        end(entries.map { entry in gtk_editable_get_text(OpaquePointer(entry)).map { String(cString: $0) } ?? "" })
    }
}
