import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// A window of the file browser: the views of a ``Browser``, and the actions of the user.
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
    let toasts = Toasts()
    private let picker: Picker?
    let searchEntry: Widget = gtk_search_entry_new()
    private let searchBar: Widget = gtk_search_bar_new()
    private let forwardButton = Make.button(icon: "go-next-symbolic", tip: "Forward", action: "win.forward")
    private let gridButton = Make.button(icon: "view-grid-symbolic", tip: "Show as grid", action: "win.grid")
    /// The menu that was shown last.
    var menu: ItemMenu?
    /// The folder in a mount for which the item view was prepared.
    private var preparedFolder: String?
    /// The location that the window shows. It differs from the browser's location until a change of location is
    /// handled.
    private var shownLocation = Location.recents
    /// The instant from which the loading page is shown.
    private var loadingPageTime = ContinuousClock.now
    /// Whether the focus moves to the items of the new location when they arrive. This is the case if the focus was on
    /// the items or on nothing when the location changed, or if the user chose a place.
    private var focusOnArrival = false
    /// The folder that the user left for its parent. It is selected when the parent's items are listed.
    private var arrival: BrowserItem.ID?

    /// The windows that are open. This property retains them.
    private static var open: [BrowserWindow] = []

    /// - Parameter picker: the part that picks for another program; `nil` for an ordinary window.
    init(_ browser: Browser, in application: UnsafeMutablePointer<GtkApplication>, picker: Picker? = nil) {
        self.browser = browser
        self.picker = picker
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
        // If the window is too narrow for the items and the pane, the pane covers the items.
        gtk_widget_set_size_request(content, 330, -1)

        let frame = Make.box(GTK_ORIENTATION_VERTICAL)
        let header: Widget = adw_header_bar_new()
        frame.append(header)
        frame.append(searchBar)
        frame.append(banner.widget)
        layout = AdaptiveLayout(sidebar: sidebar.widget, frame: frame, body: content, pane: info.widget) {
            frame.append($0)
        }
        if let picker { frame.append(picker.bar.widget) }
        gtk_widget_set_hexpand(frame, 1)
        gtk_widget_set_size_request(frame, 340, -1)
        adw_toast_overlay_set_child(toasts.widget.opaque, layout.widget)
        adw_application_window_set_content(widget.object(as: AdwApplicationWindow.self), toasts.widget)
        gtk_window_set_default_size(window, 1_000, 660)
        setTitle()
        gtk_widget_set_size_request(widget, 360, 300)

        fill(header)
        addSearch()
        addActions()
        attachPicker()
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

    private func attachPicker() {
        guard let picker else { return }
        picker.attach(to: window)
        items.isDimmed = { [request = picker.request] in !$0.isFolder && !request.accepts($0) }
    }

    private func setTitle() {
        let title = picker?.title ?? (browser.location == .recents ? "Files" : "\(browser.location.title) — Files")
        gtk_window_set_title(window, title)
        window.object(as: GtkWidget.self).setAccessible(label: title)
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
        // No delay is needed, because the index has results within milliseconds. ``Browser`` itself pauses before it
        // asks the services.
        gtk_search_entry_set_search_delay(searchEntry.opaque, 0)
        onSignal("search-changed", of: searchEntry) { [weak self] in
            guard let self, let text = gtk_editable_get_text(searchEntry.opaque) else { return }
            browser.search(String(cString: text))
        }
        onSignal("stop-search", of: searchEntry) { [weak self] in self?.endSearch() }
    }

    /// Whether the entry for a search is shown.
    var isSearching: Bool { gtk_search_bar_get_search_mode(searchBar.opaque) != 0 }

    /// Shows the search entry, or hides it and ends the search.
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

    /// Shows or hides the pane with information.
    func setInformationShown(_ isShown: Bool) {
        // The pane is not updated while it is hidden.
        if isShown { info.refresh() }
        layout.isPaneShown = isShown
    }

    func undo() {
        toasts.dismissUndo()
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

    /// Moves the focus from the places to the content, or from any other part to the places. With the Tab key alone,
    /// the focus would pass every item.
    func switchPane() {
        guard sidebar.hasFocus else {
            if layout.isFolded { layout.showSidebar() }
            return sidebar.grabFocus()
        }
        layout.showContent()
        if browser.location != .transfers, browser.listing.count > 0 {
            items.grabFocus()
        } else {
            gtk_widget_child_focus(content, GTK_DIR_TAB_FORWARD)
        }
    }

    /// Shows a place, and moves the focus to its items when they are listed.
    private func choose(_ place: Location) {
        browser.go(to: place)
        layout.showContent()
        focusOnArrival = true
        if !browser.isLoading { itemsArrived() }
    }

    /// Opens a folder in the window, or a file with its default program. The program's reads fetch the contents.
    func activate(_ item: BrowserItem) {
        if item.isTrashed || item.isRemote { return }
        if item.isFolder { return browser.go(to: .folder(domain: item.domain, path: item.path)) }
        if let picker, picker.take(item) { return }
        guard let path = item.mountedPath, let uri = g_filename_to_uri(path, nil, nil) else {
            return browser.report(BrowserError("“\(item.name)” cannot be opened, because its domain is not mounted"))
        }
        defer { g_free(uri) }
        DefaultProgram.open(String(cString: uri), on: gtk_widget_get_display(toasts.widget)) { [browser] reason in
            browser.report(BrowserError("“\(item.name)” cannot be opened: \(reason)"))
        }
    }

    private func showMenu(_ widget: Widget, _ x: Double, _ y: Double) {
        actions.refresh(browser)
        let menu = ItemMenu(browser, actions)
        self.menu = menu
        menu.load()
        let popover: Widget = gtk_popover_menu_new_from_model(menu.model.menuModel)
        gtk_widget_set_parent(popover, widget)
        gtk_popover_set_has_arrow(popover.object(as: GtkPopover.self), 0)
        gtk_widget_set_halign(popover, GTK_ALIGN_START)
        var place = GdkRectangle(x: CInt(x), y: CInt(y), width: 1, height: 1)
        gtk_popover_set_pointing_to(popover.object(as: GtkPopover.self), &place)
        // The chosen action runs after the popover was closed.
        onSignal("closed", of: popover) { [weak self] in
            Task {
                gtk_widget_unparent(popover)
                // The popover had the focus, so its removal may leave the window without a focus.
                if let self, gtk_window_get_focus(self.window) == nil { self.items.grabFocus() }
            }
        }
        gtk_popover_popup(popover.object(as: GtkPopover.self))
    }

    private func apply(_ remedy: Remedy) {
        browser.apply(remedy)
        if case .signIn(let domain) = remedy { signIn(to: domain) }
    }

    /// Signs in with the provider's own user interface. If the provider has no user interface for this, signs in with a
    /// password.
    private func signIn(to domain: String) {
        Task {
            do throws(BrowserError) {
                if try await browser.signInWithInterface(to: domain) { return }
                Dialogs.signIn(to: domain, browser, over: window)
            } catch {
                browser.report(
                    BrowserError(error.message, kind: error.kind, remedy: error.remedy ?? .signIn(domain: domain)))
            }
        }
    }

    // MARK: Changes

    private func follow() {
        browser.whenAsked = { [window] in await PromptDialog.ask($0, over: window) }
        browser.whenReplied = { [window] in ReplyDialog.show($0, $1, over: window) }
        info.whenCompared = { [weak self] in self?.compareVersions() }
        browser.whenAlerted = { [window] in await AlertDialog.ask($0, over: window) }
        browser.whenChanged = { [weak self] in self?.refresh($0) }
        browser.whenDone = { [weak self] in
            guard let self else { return }
            toasts.show($0, canUndo: $1)
            actions.refresh(browser)
            refreshContent()
        }
        browser.whenNaming = { [weak self] in self?.items.beginNaming($0) }
        browser.whenPlaced = { [weak self] id in
            self?.items.focus(id)
        }
        items.whenEmptinessChanged = { [weak self] in self?.itemsArrived() }
        items.whenActivated = { [weak self] in self?.activate($0) }
        items.whenMenu = { [weak self] in self?.showMenu($0, $1, $2) }
        sidebar.whenChosen = { [weak self] in self?.choose($0) }
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
        // A narrow window has no room for these buttons. Both actions have keyboard shortcuts, and the grid is also in
        // the menu.
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
            // The mount of the first location may not have been known before.
            prepareItems()
        case .location:
            if !browser.location.isSameSearch(as: shownLocation) {
                pathBar.refresh()
                sidebar.refresh()
                setTitle()
            }
            locationChanged()
            banner.refresh()
            refreshContent()
        case .loading: itemsArrived()
        case .banner: banner.refresh()
        case .jobs, .transfers:
            if browser.location == .transfers { refreshContent() }
        case .selection, .clipboard: break
        }
        if layout.isPaneShown, aspect == .selection || aspect == .loading || aspect == .location { info.refresh() }
        actions.refresh(browser)
        picker?.bar.refresh()
    }

    /// Shows the items, the transfers, or the page that is shown instead of them.
    private func refreshContent() {
        let page: String
        if browser.location == .transfers { transfers.refresh() } else { transfers.clear() }
        if !transfers.isEmpty {
            page = "transfers"
        } else if browser.listing.count > 0 || isWaitingBriefly {
            page = "items"
        } else {
            status.refresh()
            page = "status"
        }
        gtk_stack_set_visible_child_name(content.opaque, page)
    }

    /// Whether loading began less than ``patience`` ago. During this time the loading page is not shown, because a page
    /// that appears only briefly would make the window flicker.
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
        items.limitRows()
        prepareItems()
        let former = shownLocation
        shownLocation = browser.location
        focusOnArrival = items.hasFocus || gtk_window_get_focus(window) == nil
        arrival = nil
        if former.parent == browser.location, case .folder(let domain, let path) = former {
            arrival = BrowserItem.ID(domain: domain, path: path)
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
}
