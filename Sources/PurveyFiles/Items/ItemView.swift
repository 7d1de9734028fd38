import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// The items as a list or a grid, with their selection. Both views create widgets only for visible rows.
@MainActor final class ItemView {
    /// The scrolled list or grid.
    let widget: Widget
    private let list: Widget
    private let grid: Widget
    private let stack: Widget
    private let header: SortHeader
    private let thumbnails = ItemPictures()
    private let browser: Browser
    private let model: RowModel
    /// The `GtkMultiSelection`.
    private let selection: OpaquePointer
    private var cells: [UnsafeMutableRawPointer: ItemCell] = [:]
    /// The item whose name the user can change as soon as the item has a cell.
    private var naming: BrowserItem.ID?
    /// The number of frames since rows began to be added; `nil` if no rows have to be added.
    private var framesOfGrowth: Int?
    private var isRestoring = false
    var detail = Detail.all {
        didSet {
            guard detail != oldValue else { return }
            header.detail = detail
            refresh()
        }
    }
    private(set) var isGrid = false
    /// Whether an item is shown dimmed, because it cannot be picked.
    var isDimmed: (BrowserItem) -> Bool = { _ in false }

    /// Called when the first row was added or the last row was removed.
    var whenEmptinessChanged: () -> Void = {}
    /// Called when an item is activated, by a double click or Enter.
    var whenActivated: (BrowserItem) -> Void = { _ in }
    /// Called to show the menu of the selection at a point of the widget.
    var whenMenu: (Widget, _ x: Double, _ y: Double) -> Void = { _, _, _ in }

    init(_ browser: Browser) {
        self.browser = browser
        model = RowModel(browser.listing)
        g_object_ref(model.pointer.gtkAddress)
        selection = gtk_multi_selection_new(model.pointer)
        list = gtk_list_view_new(nil, nil)
        grid = gtk_grid_view_new(nil, nil)
        header = SortHeader(browser)
        stack = gtk_stack_new()
        widget = Make.box(GTK_ORIENTATION_VERTICAL)
        list.addClass("item-list")
        grid.addClass("item-grid")
        list.setAccessible(label: "Items")
        grid.setAccessible(label: "Items")
        let rows = Make.box(GTK_ORIENTATION_VERTICAL, header.widget, Make.scrolled(list))
        gtk_stack_add_named(stack.opaque, rows, "list")
        gtk_stack_add_named(stack.opaque, Make.scrolled(grid), "grid")
        widget.append(stack)
        gtk_list_view_set_factory(list.opaque, factory(isTile: false))
        gtk_grid_view_set_factory(grid.opaque, factory(isTile: true))
        gtk_grid_view_set_max_columns(grid.opaque, 24)
        gtk_list_view_set_enable_rubberband(list.opaque, 1)
        gtk_grid_view_set_enable_rubberband(grid.opaque, 1)
        Signals.position("activate", of: list) { [weak self] in self?.activate($0) }
        Signals.position("activate", of: grid) { [weak self] in self?.activate($0) }
        Signals.selection(selection) { [weak self] in self?.selectionChanged() }
        browser.listing.whenChanged = { [weak self] in self?.changed($0) }
        browser.listing.whenUpdated = { [weak self] rows in self?.refresh(Set(rows)) }
        thumbnails.whenArrived = { [weak self] in self?.refresh() }
        setGrid(false)
    }

    /// Prepares for the items of another location, and requests their pictures.
    ///
    /// - Parameter folder: the path of the folder in its mount; `nil` if the location is not a folder.
    func prepare(_ folder: String?) { thumbnails.prepare(folder) }

    /// Prepares for the rows of another location. The first frame shows only the rows that fit in the view.
    func limitRows() {
        let height = Int(gtk_widget_get_height(widget))
        let perLine = isGrid ? Int(gtk_widget_get_width(widget)) / Self.leastCell.width + 1 : 1
        model.limit(to: max(perLine * (height / Self.leastCell.height + 1), Self.leastRows))
        // If rows of the former location are still being added, the next frame is the first one of this location.
        if framesOfGrowth != nil { framesOfGrowth = 0 }
    }

    /// Begins to add rows with each frame, if the model has rows and they are limited.
    private func beginGrowth() {
        guard model.isLimited, model.count > 0, framesOfGrowth == nil else { return }
        framesOfGrowth = 0
        Signals.tick(of: widget) { [weak self] in self?.addRows() ?? false }
    }

    /// The least size of a cell in pixels, and the least number of rows to begin with.
    private static let leastCell = (width: 100, height: 30)
    private static let leastRows = 16
    /// The number of rows that are added in each frame. Adding them takes about half of a frame's duration.
    private static let rowsPerFrame = 16

    /// Adds rows before a frame is drawn, unless the frame is the first one with rows.
    ///
    /// - Returns: whether more rows have to be added.
    private func addRows() -> Bool {
        guard model.count > 0, let frames = framesOfGrowth else {
            framesOfGrowth = nil
            return false
        }
        framesOfGrowth = frames + 1
        if frames == 0 || model.grow(by: Self.rowsPerFrame) { return true }
        framesOfGrowth = nil
        return false
    }

    /// Returns the picture of an item's contents; `nil` if there is none.
    func picture(of item: BrowserItem) -> OpaquePointer? { thumbnails.texture(of: item) }

    private var view: Widget { isGrid ? grid : list }

    /// The `GtkAdjustment` of the vertical scroll position.
    var verticalAdjustment: UnsafeMutablePointer<GtkAdjustment>? { gtk_scrollable_get_vadjustment(view.opaque) }

    /// Shows the items as tiles if `isGrid` is `true`, and as rows otherwise.
    func setGrid(_ isGrid: Bool) {
        self.isGrid = isGrid
        // Only the visible view has the model, so that the hidden view creates no widgets.
        gtk_list_view_set_model(list.opaque, isGrid ? nil : selection)
        gtk_grid_view_set_model(grid.opaque, isGrid ? selection : nil)
        gtk_stack_set_visible_child_name(stack.opaque, isGrid ? "grid" : "list")
        header.refresh()
    }

    /// Whether the focus is on an item.
    var hasFocus: Bool { gtk_widget_get_focus_child(widget) != nil }

    func grabFocus() { gtk_widget_grab_focus(view) }

    /// Shows the menu of the selection at the first selected item. If that item is not visible, shows the menu at the
    /// corner of the view.
    func popUpMenu() {
        let row = browser.selection.first.flatMap { browser.listing.row(of: $0.id) }
        let cell = row.flatMap { row in cells.values.first { $0.position == row && $0.isShown } }
        whenMenu(cell?.widget ?? widget, Self.menuPlace, Self.menuPlace)
    }

    /// The distance of a menu from the corner of its item, in pixels.
    private static let menuPlace = 24.0

    func selectAll() {
        model.showAll()
        gtk_selection_model_select_all(selection)
    }

    func selectNone() { gtk_selection_model_unselect_all(selection) }

    func select(_ position: Int) {
        if position >= model.count { model.showAll() }
        gtk_selection_model_select_item(selection, guint(position), 1)
        scroll(to: position)
    }

    /// Scrolls to a row. GTK 4.8 has an action for this, but no function.
    private func scroll(to position: Int) {
        if position >= model.count { model.showAll() }
        gtk_widget_activate_action_variant(view, "list.scroll-to-item", g_variant_new_uint32(guint32(position)))
    }

    // MARK: Changes

    private func changed(_ change: ItemListing.Change) {
        let selected = browser.selection
        let hadFocus = hasFocus
        isRestoring = change.removed > 0 && change.added > 0
        model.changed(change)
        beginGrowth()
        if isRestoring {
            isRestoring = false
            // The order of the rows has changed, so the items are selected again in their new rows.
            for item in selected.prefix(Self.mostRestored) {
                if let row = browser.listing.row(of: item.id) {
                    gtk_selection_model_select_item(selection, guint(row), 0)
                }
            }
        }
        selectionChanged()
        if hadFocus, change.added == 0, !selected.isEmpty, browser.selection.isEmpty {
            focusNeighbor(of: change, selects: selected.allSatisfy(browser.isRemoving))
        }
        beginPendingNaming()
        let count = browser.listing.count
        if (count == 0) != (count + change.removed - change.added == 0) { whenEmptinessChanged() }
    }

    /// Moves the focus to the row after the removed rows, so that the arrow keys continue from this row.
    ///
    /// - Parameter selects: whether the row is also selected. It is not selected if another program or machine has
    ///   removed the selected item, because the next key would then act on an item that the user has not selected.
    private func focusNeighbor(of change: ItemListing.Change, selects: Bool) {
        guard browser.listing.count > 0 else { return }
        focus(browser.listing[min(change.position, browser.listing.count - 1)].id, selects: selects)
    }

    /// The maximum number of selected items that are selected again after the order has changed.
    private static let mostRestored = 500

    private func selectionChanged() {
        guard !isRestoring else { return }
        var selected: [BrowserItem] = []
        let set = gtk_selection_model_get_selection(selection)
        defer { gtk_bitset_unref(set) }
        let count = min(gtk_bitset_get_size(set), guint64(Int32.max))
        for index in 0..<count {
            let row = Int(gtk_bitset_get_nth(set, guint(index)))
            if row < browser.listing.count { selected.append(browser.listing[row]) }
        }
        browser.selection = selected
    }

    /// Updates the cells of the given rows. If `rows` is `nil`, updates all cells.
    func refresh(_ rows: Set<Int>? = nil) {
        for cell in cells.values {
            guard let position = cell.position, rows?.contains(position) ?? true else { continue }
            show(position, in: cell)
        }
        if rows != nil { selectionChanged() }
    }

    private func show(_ position: Int, in cell: ItemCell) {
        guard position < browser.listing.count else { return }
        let showsPlace = if case .folder = browser.location { false } else { true }
        let item = browser.listing[position]
        cell.show(
            item, at: position, picture: thumbnails.texture(of: item), detail: detail, showsPlace: showsPlace,
            isDimmed: isDimmed(item))
    }

    private func activate(_ position: Int) {
        if position < browser.listing.count { whenActivated(browser.listing[position]) }
    }

    // MARK: Cells

    private func factory(isTile: Bool) -> OpaquePointer {
        let factory: OpaquePointer = gtk_signal_list_item_factory_new()
        Signals.pointer("setup", of: factory) { [weak self] in self?.setUp($0, isTile: isTile) }
        Signals.pointer("bind", of: factory) { [weak self] in self?.bind($0) }
        Signals.pointer("unbind", of: factory) { [weak self] item in
            if let item { self?.cells[item]?.clear() }
        }
        Signals.pointer("teardown", of: factory) { [weak self] item in
            if let item { self?.cells[item] = nil }
        }
        return factory
    }

    private func setUp(_ item: UnsafeMutableRawPointer?, isTile: Bool) {
        guard let item else { return }
        let cell = ItemCell(isTile: isTile)
        gtk_list_item_set_child(OpaquePointer(item), cell.widget)
        cells[item] = cell
        let gesture: OpaquePointer = gtk_gesture_click_new()
        gtk_gesture_single_set_button(gesture, guint(GDK_BUTTON_SECONDARY))
        Signals.click(gesture) { [weak self, weak cell] place in
            guard let self, let cell, let position = cell.position else { return }
            // The gesture claims the sequence. Otherwise, the row would wait for the release of the button, but only
            // the menu receives the release.
            gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
            if gtk_selection_model_is_selected(selection, guint(position)) == 0 {
                gtk_selection_model_select_item(selection, guint(position), 1)
            }
            whenMenu(cell.widget, place.x, place.y)
        }
        gtk_widget_add_controller(cell.widget, gesture)
    }

    private func bind(_ item: UnsafeMutableRawPointer?) {
        guard let item, let cell = cells[item] else { return }
        show(Int(gtk_list_item_get_position(OpaquePointer(item))), in: cell)
        // When rows are added or removed, the positions of later rows change, but GTK does not bind these rows again.
        updatePositions()
    }

    private func updatePositions() {
        for (item, cell) in cells where cell.position != nil {
            let position = gtk_list_item_get_position(OpaquePointer(item))
            guard position != GTK_INVALID_LIST_POSITION, Int(position) != cell.position else { continue }
            show(Int(position), in: cell)
        }
    }

    // MARK: Naming

    /// Starts changing the name of an item in its cell, at once or as soon as the item has a cell.
    func beginNaming(_ id: BrowserItem.ID) {
        naming = id
        beginPendingNaming()
    }

    private func beginPendingNaming() {
        guard let id = naming, let row = browser.listing.row(of: id) else { return }
        select(row)
        withCell(of: id) { [weak self] cell, item in
            guard let self, naming == id else { return }
            naming = nil
            cell.beginNaming(item.name) { [weak self] in self?.browser.rename(item, to: $0) }
        }
    }

    /// Selects an item and moves the focus to it.
    func focus(_ id: BrowserItem.ID) { focus(id, selects: true) }

    private func focus(_ id: BrowserItem.ID, selects: Bool) {
        guard let row = browser.listing.row(of: id) else { return }
        if selects { select(row) } else { scroll(to: row) }
        withCell(of: id) { cell, _ in cell.grabFocus() }
    }

    private static let looks = 40

    /// Calls a closure with the cell of an item. Waits for up to a second until the view has created the cell.
    private func withCell(of id: BrowserItem.ID, _ body: @escaping @MainActor (ItemCell, BrowserItem) -> Void) {
        Task { [weak self] in
            for _ in 0..<Self.looks {
                guard let self, let row = browser.listing.row(of: id) else { return }
                updatePositions()
                if let cell = cells.values.first(where: { $0.position == row && $0.isShown }) {
                    return body(cell, browser.listing[row])
                }
                try? await Task.sleep(for: .milliseconds(25))
            }
        }
    }
}
