import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK
import LinuxSystem

/// The widgets of one item, in a row of the list or a tile of the grid. The view reuses a cell for other items as the
/// user scrolls.
@MainActor final class ItemCell {
    let widget: Widget
    /// The row number of the item in the cell; `nil` while the cell shows no item.
    private(set) var position: Int?
    private let isTile: Bool
    private let image: Widget
    private let name: Widget
    /// The label with the item's folder, in views whose items lie in different folders.
    private let place = Make.label("", "caption", "dim-label")
    /// The box with the name and the folder.
    private let names: Widget
    private let badge: Widget
    private let word = Make.label("", "caption", "dim-label")
    private let size = Make.label("", "dim-label", "numeric")
    private let date = Make.label("", "dim-label", "numeric")
    /// The box with the badge and the state in words, if the cell is a row. Its width depends on the shown columns.
    private var state: Widget?
    /// The tooltips of the name and of the badge.
    private var (nameTip, badgeTip) = ("", "")
    private var entry: Widget?

    private static let dimmedOpacity = 0.45
    private static let iconSize: (row: CInt, tile: CInt) = (24, 64)

    init(isTile: Bool) {
        self.isTile = isTile
        image = gtk_image_new()
        badge = gtk_image_new()
        name = Make.label()
        names = Make.box(GTK_ORIENTATION_VERTICAL, spacing: 0, name, place)
        place.isVisible = false
        gtk_label_set_ellipsize(name.opaque, PANGO_ELLIPSIZE_MIDDLE)
        widget = Make.box(isTile ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, spacing: isTile ? 6 : 12)
        Signals.tooltip(of: name) { [weak self] in self?.nameTip ?? "" }
        Signals.tooltip(of: badge) { [weak self] in self?.badgeTip ?? "" }
        if isTile { layOutTile() } else { layOutRow() }
    }

    private func layOutRow() {
        gtk_image_set_pixel_size(image.opaque, Self.iconSize.row)
        gtk_widget_set_hexpand(names, 1)
        gtk_widget_set_valign(names, GTK_ALIGN_CENTER)
        // A minimum width for names, so that the other columns leave room for them in a narrow window.
        gtk_label_set_width_chars(name.opaque, 8)
        gtk_widget_set_hexpand(word, 1)
        gtk_label_set_xalign(size.opaque, 1)
        gtk_label_set_xalign(date.opaque, 1)
        gtk_widget_set_size_request(size, Columns.size, -1)
        gtk_widget_set_size_request(date, Columns.modified, -1)
        let badgeBox = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, badge, word)
        gtk_widget_set_hexpand(badgeBox, 0)
        state = badgeBox
        widget.addClass("item-row")
        for child in [image, names, badgeBox, size, date] { widget.append(child) }
    }

    private func layOutTile() {
        gtk_image_set_pixel_size(image.opaque, Self.iconSize.tile)
        gtk_label_set_xalign(name.opaque, 0.5)
        gtk_label_set_justify(name.opaque, GTK_JUSTIFY_CENTER)
        gtk_label_set_wrap(name.opaque, 1)
        gtk_label_set_wrap_mode(name.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_lines(name.opaque, 2)
        gtk_label_set_width_chars(name.opaque, 14)
        gtk_label_set_max_width_chars(name.opaque, 14)
        let state = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 4, badge, word)
        gtk_widget_set_halign(state, GTK_ALIGN_CENTER)
        widget.addClass("item-tile")
        gtk_widget_set_valign(widget, GTK_ALIGN_START)
        for child in [image, names, state] { widget.append(child) }
    }

    /// Shows an item.
    ///
    /// - Parameters:
    ///   - picture: a `GdkPaintable` of the contents; `nil` to show the icon of the type.
    ///   - detail: the columns to show.
    ///   - showsPlace: whether a row shows the item's folder, and the tooltip shows the item's path, because the view's
    ///     items lie in different folders.
    ///   - isDimmed: whether the item is drawn dimmed, because the program that requested the picker does not accept
    ///     such an item.
    func show(
        _ item: BrowserItem, at position: Int, picture: OpaquePointer?, detail: Detail, showsPlace: Bool,
        isDimmed: Bool
    ) {
        gtk_widget_set_opacity(widget, isDimmed ? Self.dimmedOpacity : 1)
        if entry != nil, self.position != position { endNaming() }
        self.position = position
        let condition = item.condition
        if let picture {
            gtk_image_set_from_paintable(image.opaque, picture)
        } else {
            gtk_image_set_from_gicon(image.opaque, ItemWords.icon(item))
        }
        setText(name, item.name)
        nameTip = showsPlace ? item.domain + ": " + item.path : item.name
        place.isVisible = showsPlace && !isTile
        if showsPlace {
            let path = [item.domain] + item.folder.pathNames
            setText(place, item.isTrashed ? item.domain : path.joined(separator: " › "))
        }
        badge.isVisible = condition.icon != nil
        if let icon = condition.icon { gtk_image_set_from_icon_name(badge.opaque, icon) }
        badgeTip = [condition.word, condition.explanation].filter { !$0.isEmpty }.joined(separator: ". ")
        badge.setAccessible(label: condition.word, description: condition.explanation)
        setText(word, condition.word)
        let isFailure = if case .failed = condition { true } else { false }
        badge.setClass("error", isFailure)
        badge.setClass("dim-label", !isFailure)
        word.isVisible = isTile ? isFailure : detail >= .medium
        if !isTile {
            setText(size, ItemWords.size(item))
            setText(date, ItemWords.date(item))
            if let state { gtk_widget_set_size_request(state, detail >= .medium ? Columns.state : -1, -1) }
            size.isVisible = detail >= .medium
            date.isVisible = detail == .all
        }
        nameRow(item, condition)
    }

    /// Sets the row's name for assistive technologies. Without a name, they would read the row's labels one by one.
    private func nameRow(_ item: BrowserItem, _ condition: ItemCondition) {
        guard let row = gtk_widget_get_parent(widget) else { return }
        let words = [item.name, item.isFolder ? "folder" : "", condition.word, ItemWords.size(item)]
        row.setAccessible(
            label: words.filter { !$0.isEmpty }.joined(separator: ", "), description: condition.explanation)
    }

    /// Whether the cell is in the view.
    var isShown: Bool { gtk_widget_get_parent(widget) != nil }

    /// Moves the focus to the row.
    func grabFocus() {
        if let row = gtk_widget_get_parent(widget) { gtk_widget_grab_focus(row) }
    }

    func clear() {
        endNaming()
        position = nil
    }

    // MARK: Naming in place

    /// Shows a text entry in which the user changes the name. Calls the closure with the new name when the user presses
    /// Enter.
    func beginNaming(_ text: String, _ accept: @escaping @MainActor (String) -> Void) {
        guard entry == nil else { return }
        let entry: Widget = gtk_entry_new()
        entry.setAccessible(label: "New name of \(text)")
        gtk_editable_set_text(entry.opaque, text)
        gtk_widget_set_hexpand(entry, 1)
        gtk_box_insert_child_after(names.object(as: GtkBox.self), entry, name)
        name.isVisible = false
        self.entry = entry
        onSignal("activate", of: entry) { [weak self] in
            guard let self, let entry = self.entry else { return }
            let name = gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
            endNaming()
            accept(name)
        }
        let keys: OpaquePointer = gtk_event_controller_key_new()
        Signals.key(keys) { [weak self] key in
            guard key == guint(GDK_KEY_Escape) else { return false }
            self?.endNaming()
            return true
        }
        gtk_widget_add_controller(entry, keys)
        let focus: OpaquePointer = gtk_event_controller_focus_new()
        onSignal("leave", of: focus) { [weak self] in self?.endNaming() }
        gtk_widget_add_controller(entry, focus)
        gtk_widget_grab_focus(entry)
        // The extension is not selected, because users rarely change it.
        gtk_editable_select_region(entry.opaque, 0, text.stemLength)
    }

    /// Removes the text entry for the name, and shows the name again. Does nothing if the name is not being changed.
    func endNaming() {
        guard let entry = entry.take() else { return }
        let hadFocus = gtk_widget_get_focus_child(widget) != nil
        let row = gtk_widget_get_parent(widget)
        name.isVisible = true
        gtk_box_remove(names.object(as: GtkBox.self), entry)
        if hadFocus, let row { gtk_widget_grab_focus(row) }
    }
}

extension String {
    /// The number of characters of a file name before its extension, as GTK counts them.
    var stemLength: CInt {
        let stem = lastIndex(of: ".").flatMap { $0 == startIndex ? nil : $0 } ?? endIndex
        return CInt(self[..<stem].unicodeScalars.count)
    }
}
