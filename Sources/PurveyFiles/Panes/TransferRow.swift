import CAdwaita
import DomainMessages
import FileBrowser
import FileProviderGTK

/// A row of the list of transfers: an icon, a title, the progress, and a button.
@MainActor final class TransferRow {
    /// The subject of a row. A row is reused only for the same subject.
    enum Key: Hashable {
        case job(ObjectIdentifier, isRunning: Bool)
        case domain(String, isPaused: Bool)
        /// A transfer of a domain. The row's button keeps the focus while the transfer progresses. A transfer in
        /// another state gets another row, because the button of a row must not change its purpose while it is pressed.
        case transfer(String, file: Int64, isUpload: Bool, TransferActivity.State)
        case unlisted(String)
        case waiting(String)
        case fault(String, Int)
    }

    struct Button {
        let label: String
        /// The name for assistive technologies.
        let name: String
        let action: @MainActor () -> Void
    }

    struct Content {
        let key: Key
        let icon: String
        let title: String
        let subtitle: String
        /// The progress from 0 to 1; `nil` for none.
        var fraction: Double?
        var button: Button?
    }

    let widget: Widget = gtk_list_box_row_new()
    private let icon: Widget = gtk_image_new()
    private let title = Make.label()
    private let subtitle = Make.label("", "caption", "dim-label", wraps: true)
    private let bar: Widget = gtk_progress_bar_new()
    private let button: Widget
    private var action: @MainActor () -> Void = {}

    init() {
        button = gtk_button_new_with_label("")
        button.addClass("flat")
        gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        let texts = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 4, title, subtitle, bar)
        gtk_widget_set_hexpand(texts, 1)
        let box = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, icon, texts, button)
        box.setMargins(12)
        let row = widget.object(as: GtkListBoxRow.self)
        gtk_list_box_row_set_child(row, box)
        gtk_list_box_row_set_activatable(row, 0)
        onSignal("clicked", of: button) { [weak self] in self?.action() }
    }

    func show(_ content: Content) {
        gtk_image_set_from_icon_name(icon.opaque, content.icon)
        setText(title, content.title)
        setText(subtitle, content.subtitle)
        widget.setAccessible(label: "\(content.title), \(content.subtitle)")
        bar.isVisible = content.fraction != nil
        gtk_progress_bar_set_fraction(bar.opaque, content.fraction ?? 0)
        bar.setAccessible(label: "Progress of \(content.title)")
        button.isVisible = content.button != nil
        guard let shown = content.button else { return }
        gtk_button_set_label(button.object(as: GtkButton.self), shown.label)
        button.setAccessible(label: shown.name)
        action = shown.action
    }
}
