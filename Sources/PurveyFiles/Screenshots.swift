import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK
import Glibc

/// Screenshots of each view, for review. They show the domains of the running daemon.
@MainActor enum Screenshots {
    /// Takes the screenshots of the given domain, or of the first one for `nil`. Returns whether all were written.
    static func take(_ window: BrowserWindow, of domain: String?, into directory: String) async -> Bool {
        mkdir(directory, 0o755)
        let browser = window.browser
        browser.begin(at: .recents)
        gtk_window_present(window.window)
        await settle(browser)
        guard
            let domain = domain ?? browser.domains.first?.name
        else {
            return await picture(window, directory, "no-services")
        }
        var isComplete = true
        for scheme in [ADW_COLOR_SCHEME_FORCE_LIGHT, ADW_COLOR_SCHEME_FORCE_DARK] {
            adw_style_manager_set_color_scheme(adw_style_manager_get_default(), scheme)
            let prefix = scheme == ADW_COLOR_SCHEME_FORCE_LIGHT ? "light" : "dark"
            for (name, prepare) in views(of: domain) {
                await prepare(window)
                isComplete = await picture(window, directory, "\(prefix)-\(name)") && isComplete
            }
            closeDialogs(over: window.window)
        }
        return isComplete
    }

    private typealias View = (name: String, prepare: @MainActor (BrowserWindow) async -> Void)

    private static func views(of domain: String) -> [View] {
        let root = Location.folder(domain: domain, path: "")
        return [
            ("list", { await show(root, $0, width: 1_000) }),
            (
                "info",
                { window in
                    window.setInformationShown(true)
                    window.items.select(window.browser.listing.count - 1)
                    await settle(window.browser)
                }
            ),
            (
                "grid",
                { window in
                    window.setInformationShown(false)
                    window.toggleGrid()
                    await settle(window.browser)
                }
            ),
            (
                "naming",
                { window in
                    window.toggleGrid()
                    let file = window.browser.listing.all.first { !$0.isFolder }
                    if let file { window.items.beginNaming(file.id) }
                    await settle(window.browser)
                }
            ),
            ("recents", { await show(.recents, $0, width: 1_000) }),
            ("trash", { await show(.trash, $0, width: 1_000) }),
            ("transfers", { await show(.transfers, $0, width: 1_000) }),
            (
                "search",
                { window in
                    window.browser.go(to: root)
                    window.setSearching(true)
                    gtk_editable_set_text(window.searchEntry.opaque, "pho")
                    await settle(window.browser)
                }
            ),
            (
                "failure",
                { window in
                    window.setSearching(false)
                    window.browser.report(
                        BrowserError("“Plan.txt” was not copied: the disk is full", remedy: .retry(domain: domain)))
                    await show(root, window, width: 1_000)
                }
            ),
            (
                "narrow",
                { window in
                    window.browser.dismissBanner()
                    await show(root, window, width: 380)
                }
            ),
            (
                "narrow-places",
                { window in
                    window.layout.showSidebar()
                    await settle(window.browser)
                }
            ),
            (
                "right-to-left",
                { window in
                    window.layout.showContent()
                    gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
                    await show(root, window, width: 1_000)
                }
            ),
            (
                "right-to-left-info",
                { window in
                    window.setInformationShown(true)
                    window.items.select(window.browser.listing.count - 1)
                    await settle(window.browser)
                }
            ),
            (
                "tags",
                { window in
                    window.setInformationShown(false)
                    gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR)
                    await show(root, window, width: 1_000)
                    window.items.select(window.browser.listing.count - 1)
                    TagDialog.show(for: window.browser.selection, window.browser, over: window.window)
                    await settle(window.browser)
                }
            ),
            (
                "versions",
                { window in
                    closeDialogs(over: window.window)
                    if let item = window.browser.listing.all.last {
                        ConflictDialog.show(
                            ConflictPair(original: item, copy: item), window.browser, over: window.window,
                            picture: { window.items.picture(of: $0) }, open: { _ in })
                    }
                    await settle(window.browser)
                }
            ),
            (
                "keys",
                { window in
                    closeDialogs(over: window.window)
                    Shortcuts.show(over: window.window)
                    await settle(window.browser)
                }
            ),
        ]
    }

    /// Returns the windows over a window: dialogs, and the list of keyboard shortcuts.
    private static func dialogs(
        over window: UnsafeMutablePointer<GtkWindow>
    ) -> [UnsafeMutablePointer<GtkWindow>] {
        let all: OpaquePointer = gtk_window_get_toplevels()
        return (0..<g_list_model_get_n_items(all)).compactMap { index in
            guard let object = g_list_model_get_item(all, index) else { return nil }
            defer { g_object_unref(object) }
            let other = object.assumingMemoryBound(to: GtkWindow.self)
            return gtk_window_get_transient_for(other) == window ? other : nil
        }
    }

    private static func closeDialogs(over window: UnsafeMutablePointer<GtkWindow>) {
        for dialog in dialogs(over: window) { gtk_window_destroy(dialog) }
    }

    private static func show(_ location: Location, _ window: BrowserWindow, width: CInt) async {
        window.browser.go(to: location)
        gtk_window_set_default_size(window.window, width, 660)
        await settle(window.browser)
    }

    /// Waits until the listing is complete and the animations have ended.
    private static func settle(_ browser: Browser) async {
        for _ in 0..<200 {
            try? await Task.sleep(for: .milliseconds(50))
            if browser.areDomainsKnown, !browser.isLoading { break }
        }
        try? await Task.sleep(for: .milliseconds(700))
    }

    /// Draws the window, or the dialog over it, into a PNG file.
    private static func picture(_ window: BrowserWindow, _ directory: String, _ name: String) async -> Bool {
        let shown = dialogs(over: window.window).first ?? window.window
        let widget = shown.object(as: GtkWidget.self)
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        guard width > 0, height > 0, let paintable = gtk_widget_paintable_new(widget) else { return false }
        defer { g_object_unref(paintable.gtkAddress) }
        let snapshot: OpaquePointer? = gtk_snapshot_new()
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot),
            let renderer = gtk_native_get_renderer(widget.opaque)
        else { return false }
        defer { gsk_render_node_unref(node) }
        let texture = gsk_renderer_render_texture(renderer, node, nil)
        defer { if let texture { g_object_unref(UnsafeMutableRawPointer(texture)) } }
        return gdk_texture_save_to_png(texture, "\(directory)/\(name).png") != 0
    }
}
