import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// A window of the file browser: the views around a ``Browser``, and the actions between them.
@MainActor final class BrowserWindow {
    let window: UnsafeMutablePointer<GtkWindow>
    let browser: Browser
    let items: ItemView
    let layout: AdaptiveLayout
    let actions: ItemActions
    private let sidebar: Sidebar
    private let pathBar: PathBar
    private let banner: Banner
    private let info: InfoPane
    private let transfers: TransfersView
    private let status: StatusView
    private let content: Widget
    private let overlay: Widget = adw_toast_overlay_new()
    let searchEntry: Widget = gtk_search_entry_new()
    private let searchBar: Widget = gtk_search_bar_new()
    private let forwardButton = Make.button(icon: "go-next-symbolic", tip: "Forward", action: "win.forward")
    private let gridButton = Make.button(icon: "view-grid-symbolic", tip: "Show as grid", action: "win.grid")
    private var undoToast: OpaquePointer?
    /// The folder in a mount for which the items were prepared.
    private var preparedFolder: String?
    /// The location before the present one.
    private var shownLocation = Location.recents
    /// The time from which the page about loading is shown.
    private var loadingPageTime = ContinuousClock.now
    /// Whether the focus was on the items when the location changed. It then returns to the items of the new location.
    private var focusOnArrival = false
    /// The folder that the user left for its parent. It is selected when the parent's items are listed.
    private var arrival: BrowserItem.ID?

    /// The windows that are open. This property retains them.
    private static var open: [BrowserWindow] = []

    init(_ browser: Browser, in application: UnsafeMutablePointer<GtkApplication>) {
        self.browser = browser
        let widget: Widget = adw_application_window_new(application)
        window = widget.object(as: GtkWindow.self)
        actions = ItemActions(in: widget.opaque)
        items = ItemView(browser)
        sidebar = Sidebar(browser)
        pathBar = PathBar(browser)
        banner = Banner(browser)
        info = InfoPane(browser)
        transfers = TransfersView(browser)
        status = StatusView(browser)
        content = gtk_stack_new()
        gtk_stack_add_named(content.opaque, items.widget, "items")
        gtk_stack_add_named(content.opaque, transfers.widget, "transfers")
        gtk_stack_add_named(content.opaque, status.widget, "status")
        gtk_stack_set_vhomogeneous(content.opaque, 0)
        gtk_stack_set_hhomogeneous(content.opaque, 0)
        gtk_widget_set_vexpand(content, 1)
        // The pane covers the items where both do not fit.
        gtk_widget_set_size_request(content, 330, -1)

        let frame = Make.box(GTK_ORIENTATION_VERTICAL)
        let header: Widget = adw_header_bar_new()
        frame.append(header)
        frame.append(searchBar)
        frame.append(banner.widget)
        layout = AdaptiveLayout(sidebar: sidebar.widget, frame: frame, body: content, pane: info.widget) {
            frame.append($0)
        }
        gtk_widget_set_hexpand(frame, 1)
        gtk_widget_set_size_request(frame, 340, -1)
        adw_toast_overlay_set_child(overlay.opaque, layout.widget)
        adw_application_window_set_content(widget.object(as: AdwApplicationWindow.self), overlay)
        gtk_window_set_default_size(window, 1_000, 660)
        gtk_window_set_title(window, "Files")
        gtk_widget_set_size_request(widget, 360, 300)

        fill(header)
        addSearch()
        addActions()
        follow()
        Shortcuts.install(in: application, items: items.widget)
        Self.open.append(self)
        onSignal("destroy", of: widget) { [weak self] in self?.ended() }
        browser.start()
    }

    private func ended() {
        browser.stop()
        Self.open.removeAll { $0 === self }
    }

    // MARK: Header

    private let placesButton = Make.button(icon: "sidebar-show-symbolic", tip: "Places")

    private func fill(_ header: Widget) {
        onSignal("clicked", of: placesButton) { [weak self] in self?.layout.showSidebar() }
        placesButton.isVisible = false
        let starts = [
            placesButton, Make.button(icon: "go-previous-symbolic", tip: "Back", action: "win.back"), forwardButton,
        ]
        for button in starts { adw_header_bar_pack_start(header.opaque, button) }
        adw_header_bar_set_title_widget(header.opaque, pathBar.widget)
        adw_header_bar_set_centering_policy(header.opaque, ADW_CENTERING_POLICY_LOOSE)
        let menu: Widget = gtk_menu_button_new()
        gtk_menu_button_set_icon_name(menu.opaque, "open-menu-symbolic")
        menu.setTip("Main menu")
        gtk_menu_button_set_primary(menu.opaque, 1)
        gtk_menu_button_set_menu_model(menu.opaque, actions.mainMenu().menuModel)
        let ends = [
            menu, gridButton, Make.button(icon: "edit-find-symbolic", tip: "Search", action: "win.search"),
        ]
        for button in ends { adw_header_bar_pack_end(header.opaque, button) }
    }

    private func addSearch() {
        gtk_search_bar_set_child(searchBar.opaque, searchEntry)
        gtk_search_bar_connect_entry(searchBar.opaque, searchEntry.opaque)
        // A search begins when the user types while the focus is on the items.
        gtk_search_bar_set_key_capture_widget(searchBar.opaque, items.widget)
        gtk_widget_set_size_request(searchEntry, 300, -1)
        searchEntry.setAccessible(label: "Search for names")
        onSignal("search-changed", of: searchEntry) { [weak self] in
            guard let self, let text = gtk_editable_get_text(searchEntry.opaque) else { return }
            browser.search(String(cString: text))
        }
        onSignal("stop-search", of: searchEntry) { [weak self] in self?.endSearch() }
    }

    /// Shows or hides the search.
    func setSearching(_ isSearching: Bool) {
        gtk_search_bar_set_search_mode(searchBar.opaque, isSearching ? 1 : 0)
        if isSearching { gtk_widget_grab_focus(searchEntry) } else { endSearch() }
    }

    private func endSearch() {
        gtk_editable_set_text(searchEntry.opaque, "")
        browser.search("")
        items.grabFocus()
    }

    // MARK: Actions

    private func addActions() {
        let browser = browser
        actions.add(.open) { [weak self] in browser.selection.first.map { self?.activate($0) } }
        actions.add(.rename) { [weak self] in browser.selection.first.map { self?.items.beginNaming($0.id) } }
        actions.add(.trash) { browser.trash(browser.selection) }
        actions.add(.copy) { browser.copy(browser.selection, isCut: false) }
        actions.add(.cut) { browser.copy(browser.selection, isCut: true) }
        actions.add(.paste) { browser.paste() }
        actions.add(.duplicate) { browser.duplicate(browser.selection) }
        actions.add(.keep) { browser.keep(browser.selection, isWanted: true) }
        actions.add(.unkeep) { browser.keep(browser.selection, isWanted: false) }
        actions.add(.download) { browser.download(browser.selection) }
        actions.add(.freeUp) { browser.freeUp(browser.selection) }
        actions.add(.retry) { browser.retry(browser.selection) }
        actions.add(.favorite) { browser.setFavorite(browser.selection, true) }
        actions.add(.unfavorite) { browser.setFavorite(browser.selection, false) }
        actions.add(.restore) { browser.restore(browser.selection) }
        actions.add(.deleteForever) { [window] in
            let items = browser.selection
            Dialogs.confirmDeletion(of: items, over: window) { browser.deleteForever(items) }
        }
        actions.add(.newFolder) { browser.makeFolder() }
        actions.add(.selectAll) { [weak self] in self?.items.selectAll() }
        actions.add(.undo) { [weak self] in self?.undo() }
        actions.add(.back) { browser.goBack() }
        actions.add(.forward) { browser.goForward() }
        actions.add(.up) { browser.goUp() }
        actions.add(.reload) { browser.load() }
        actions.add(.search) { [weak self] in
            guard let self else { return }
            setSearching(gtk_search_bar_get_search_mode(searchBar.opaque) == 0)
        }
        actions.add(.grid) { [weak self] in self?.toggleGrid() }
        actions.add(.info) { [weak self] in
            guard let self else { return }
            setInformationShown(!layout.isPaneShown)
        }
        actions.add(.menu) { [weak self] in self?.items.popUpMenu() }
        actions.add(.shortcuts) { [window] in Shortcuts.show(over: window) }
        actions.add(.close) { [window] in gtk_window_close(window) }
        actions.refresh(browser)
    }

    /// Shows or hides the pane with information.
    func setInformationShown(_ isShown: Bool) {
        // The pane is not updated while it is hidden.
        if isShown { info.refresh() }
        layout.isPaneShown = isShown
    }

    private func undo() {
        if let toast = undoToast.take() { adw_toast_dismiss(toast) }
        browser.undo()
        actions.refresh(browser)
    }

    func toggleGrid() {
        items.setGrid(!items.isGrid)
        gtk_button_set_icon_name(
            gridButton.object(as: GtkButton.self), items.isGrid ? "view-list-symbolic" : "view-grid-symbolic")
        gridButton.setTip(items.isGrid ? "Show as list" : "Show as grid")
        items.grabFocus()
    }

    /// Opens a folder in the window, and a file with its program. The program's read downloads what it needs.
    func activate(_ item: BrowserItem) {
        if item.isTrashed || item.isRemote { return }
        if item.isFolder { return browser.go(to: .folder(domain: item.domain, path: item.path)) }
        guard let path = item.mountedPath, let uri = g_filename_to_uri(path, nil, nil) else {
            return browser.report(BrowserError("“\(item.name)” cannot be opened, because its domain is not mounted"))
        }
        defer { g_free(uri) }
        DefaultProgram.open(String(cString: uri), on: gtk_widget_get_display(overlay)) { [browser] reason in
            browser.report(BrowserError("“\(item.name)” cannot be opened: \(reason)"))
        }
    }

    private func showMenu(_ widget: Widget, _ x: Double, _ y: Double) {
        actions.refresh(browser)
        let menu = actions.menu(browser)
        let popover: Widget = gtk_popover_menu_new_from_model(menu.menuModel)
        g_object_unref(menu.gtkAddress)
        gtk_widget_set_parent(popover, widget)
        gtk_popover_set_has_arrow(popover.object(as: GtkPopover.self), 0)
        gtk_widget_set_halign(popover, GTK_ALIGN_START)
        var place = GdkRectangle(x: CInt(x), y: CInt(y), width: 1, height: 1)
        gtk_popover_set_pointing_to(popover.object(as: GtkPopover.self), &place)
        // The chosen action runs after the popover was closed.
        onSignal("closed", of: popover) { Task { gtk_widget_unparent(popover) } }
        gtk_popover_popup(popover.object(as: GtkPopover.self))
    }

    private func apply(_ remedy: Remedy) {
        if case .signIn(let domain) = remedy {
            Dialogs.signIn(to: domain, browser, over: window)
        } else {
            browser.apply(remedy)
        }
    }

    // MARK: Changes

    private func follow() {
        browser.whenChanged = { [weak self] in self?.refresh($0) }
        browser.whenDone = { [weak self] in self?.toast($0, canUndo: $1) }
        browser.whenNaming = { [weak self] in self?.items.beginNaming($0) }
        browser.whenPlaced = { [weak self] id in
            self?.items.focus(id)
        }
        items.whenEmptinessChanged = { [weak self] in self?.itemsArrived() }
        items.whenActivated = { [weak self] in self?.activate($0) }
        items.whenMenu = { [weak self] in self?.showMenu($0, $1, $2) }
        sidebar.whenChosen = { [weak self] location in
            self?.browser.go(to: location)
            self?.layout.showContent()
        }
        for ask in [\BrowserWindow.banner.whenAsked, \.info.whenAsked, \.status.whenAsked] {
            self[keyPath: ask] = { [weak self] in self?.apply($0) }
        }
        layout.whenResized = { [weak self] in self?.resized() }
        Signals.pointer("notify::default-width", of: window) { [weak self] _ in self?.resized() }
        resized()
        refreshContent()
        pathBar.refresh()
    }

    private func resized() {
        let isFolded = layout.isFolded
        placesButton.isVisible = isFolded
        // A narrow window has no room for them. Both actions have a keyboard shortcut, and the menu has that of the
        // view.
        forwardButton.isVisible = !isFolded
        gridButton.isVisible = !isFolded
        if pathBar.isNarrow != isFolded { pathBar.isNarrow = isFolded }
        var (width, height): (CInt, CInt) = (0, 0)
        gtk_window_get_default_size(window, &width, &height)
        items.detail = Detail(width: layout.bodyWidth(ofWindow: width))
    }

    private func refresh(_ aspect: Browser.Aspect) {
        switch aspect {
        case .places:
            sidebar.refresh()
            // The mount of the first location may be known only now.
            prepareItems()
        case .location:
            locationChanged()
            pathBar.refresh()
            sidebar.refresh()
            banner.refresh()
            gtk_window_set_title(window, "\(browser.location.title) — Files")
            window.object(as: GtkWidget.self).setAccessible(label: "\(browser.location.title) — Files")
            refreshContent()
        case .loading: itemsArrived()
        case .selection: break
        case .banner: banner.refresh()
        case .jobs, .transfers:
            if browser.location == .transfers { refreshContent() }
        case .clipboard: break
        }
        if layout.isPaneShown, aspect == .selection || aspect == .loading || aspect == .location { info.refresh() }
        actions.refresh(browser)
    }

    /// Shows the items, the transfers, or the page in place of them.
    private func refreshContent() {
        let page: String
        if browser.location == .transfers, !transfers.isEmpty {
            transfers.refresh()
            page = "transfers"
        } else if browser.listing.count > 0 || isWaitingBriefly {
            page = "items"
        } else {
            status.refresh()
            page = "status"
        }
        gtk_stack_set_visible_child_name(content.opaque, page)
    }

    /// Whether the items are expected in a moment. Until then the page about loading would only flicker.
    private var isWaitingBriefly: Bool {
        browser.isLoading && browser.listingError == nil && ContinuousClock.now < loadingPageTime
    }

    private func prepareItems() {
        guard browser.currentFolder != preparedFolder else { return }
        preparedFolder = browser.currentFolder
        items.prepare(preparedFolder)
    }

    private static let patience: Duration = .milliseconds(300)

    /// Prepares for the items of another location.
    private func locationChanged() {
        loadingPageTime = .now + Self.patience
        prepareItems()
        let former = shownLocation
        shownLocation = browser.location
        focusOnArrival = items.hasFocus || gtk_window_get_focus(window) == nil
        if former.parent == browser.location, case .folder(let domain, let path) = former {
            arrival = BrowserItem.ID(domain: domain, path: path)
        } else {
            arrival = nil
        }
        Task { [weak self] in
            try? await Task.sleep(for: Self.patience)
            self?.refreshContent()
        }
    }

    /// Selects the folder that the user left for its parent, and returns the focus to the items.
    private func itemsArrived() {
        refreshContent()
        guard browser.listing.count > 0 else { return }
        if let id = arrival, browser.listing.row(of: id) != nil {
            arrival = nil
            focusOnArrival = false
            items.focus(id)
        }
        if focusOnArrival { items.grabFocus() }
        focusOnArrival = browser.isLoading && focusOnArrival
    }

    private func toast(_ text: String, canUndo: Bool) {
        // A toast waits until earlier ones have ended, so an earlier one is dismissed.
        if let former = undoToast.take() { adw_toast_dismiss(former) }
        let toast: OpaquePointer = adw_toast_new("")
        adw_toast_set_title(toast, escaped(text))
        adw_toast_set_timeout(toast, canUndo ? 8 : 3)
        if canUndo {
            adw_toast_set_button_label(toast, "Undo")
            adw_toast_set_action_name(toast, "win.undo")
            undoToast = toast
            onSignal("dismissed", of: toast) { [weak self] in
                if self?.undoToast == toast { self?.undoToast = nil }
            }
        }
        adw_toast_overlay_add_toast(overlay.opaque, toast)
        actions.refresh(browser)
        refreshContent()
    }

    /// Returns a text for a label with markup.
    private func escaped(_ text: String) -> String {
        guard let escaped = g_markup_escape_text(text, -1) else { return "" }
        defer { g_free(escaped) }
        return String(cString: escaped)
    }
}
