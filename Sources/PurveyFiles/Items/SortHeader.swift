import CAdwaita
import FileBrowser
import FileProviderGTK

/// The names of the columns above the list. A click on a name sorts the items by that column. Another click on the same
/// name reverses the order.
@MainActor final class SortHeader {
    let widget: Widget
    private let browser: Browser
    private var buttons: [(key: ItemOrder.Key, button: Widget, label: Widget, arrow: Widget)] = []

    var detail = Detail.all {
        didSet {
            for column in buttons where column.key != .name {
                column.button.isVisible = detail >= (column.key == .modified ? .all : .medium)
            }
        }
    }

    /// Called after the order has changed.
    var whenChanged: () -> Void = {}

    init(_ browser: Browser) {
        self.browser = browser
        widget = Make.box(GTK_ORIENTATION_HORIZONTAL)
        widget.addClass("sort-header")
        add(.name, "Name", width: nil)
        add(.state, "State", width: Columns.state + 12)
        add(.size, "Size", width: Columns.size + 12, isAtEnd: true)
        add(.modified, "Modified", width: Columns.modified + 12, isAtEnd: true)
        refresh()
    }

    private func add(_ key: ItemOrder.Key, _ title: String, width: CInt?, isAtEnd: Bool = false) {
        let label = Make.label(title, "caption-heading")
        let arrow = Make.icon("pan-down-symbolic")
        let content: Widget
        if isAtEnd {
            content = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 4, arrow, label)
            gtk_widget_set_halign(content, GTK_ALIGN_END)
        } else {
            content = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 4, label, arrow)
        }
        let button: Widget = gtk_button_new()
        gtk_button_set_child(button.object(as: GtkButton.self), content)
        button.addClass("flat", "sort-button")
        if let width { gtk_widget_set_size_request(button, width, -1) } else { gtk_widget_set_hexpand(button, 1) }
        onSignal("clicked", of: button) { [weak self] in self?.choose(key) }
        widget.append(button)
        buttons.append((key, button, label, arrow))
    }

    private func choose(_ key: ItemOrder.Key) {
        let order = browser.listing.order
        browser.listing.setOrder(ItemOrder(key, isDescending: order.key == key && !order.isDescending))
        refresh()
        whenChanged()
    }

    func refresh() {
        let order = browser.listing.order
        for column in buttons {
            let isCurrent = column.key == order.key
            gtk_widget_set_opacity(column.arrow, isCurrent ? 1 : 0)
            gtk_image_set_from_icon_name(
                column.arrow.opaque, order.isDescending ? "pan-up-symbolic" : "pan-down-symbolic")
            let words = isCurrent ? order.isDescending ? ", descending" : ", ascending" : ""
            column.button.setTip("Sort by \(column.key.rawValue)\(words)")
        }
    }
}
