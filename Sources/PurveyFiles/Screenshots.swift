import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK
import Glibc

/// Screenshots of each view, for review. They show the domains of the running daemon.
@MainActor enum Screenshots {
    /// Takes the screenshots of the given domain. If `domain` is `nil`, takes those of the first domain. Returns
    /// whether all pictures were written.
    static func take(_ window: BrowserWindow, of domain: String?, into directory: String) async -> Bool {
        mkdir(directory, 0o755)
        let browser = window.browser
        browser.begin(at: .recents)
        endAnimations()
        gtk_window_present(window.window)
        await settle(browser)
        guard let domain = domain ?? browser.domains.first?.name else {
            return await picture(window, directory, "no-services")
        }
        var isComplete = true
        for scheme in [ADW_COLOR_SCHEME_FORCE_LIGHT, ADW_COLOR_SCHEME_FORCE_DARK] {
            adw_style_manager_set_color_scheme(adw_style_manager_get_default(), scheme)
            let prefix = scheme == ADW_COLOR_SCHEME_FORCE_LIGHT ? "light" : "dark"
            for view in ScreenshotView.all(of: domain) {
                await show(view, window)
                isComplete = await picture(window, directory, "\(prefix)-\(view.name)") && isComplete
                if view.failure != nil { browser.dismissBanner() }
            }
        }
        closeDialogs(over: window.window)
        return isComplete
    }

    /// Brings the window into the state of a view, regardless of its previous state.
    private static func show(_ view: ScreenshotView, _ window: BrowserWindow) async {
        closeDialogs(over: window.window)
        if window.isSearching { window.setSearching(false) }
        if window.items.isGrid != view.isGrid { window.toggleGrid() }
        window.layout.showContent()
        gtk_widget_set_default_direction(view.isRightToLeft ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR)
        window.browser.go(to: view.location)
        gtk_window_set_default_size(window.window, view.width, 660)
        await settle(window.browser)
        window.setInformationShown(view.showsInformation)
        if let row = view.selectedRow(of: window.browser) {
            window.items.select(row)
        } else {
            window.items.selectNone()
        }
        if let failure = view.failure { window.browser.report(failure) }
        view.prepare(window)
        await settle(window.browser)
    }

    /// Returns the windows that are shown over the given window: dialogs, and the list of keyboard shortcuts.
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

    /// Turns animations off, so that each view is complete at once.
    private static func endAnimations() {
        guard let settings = gtk_settings_get_default() else { return }
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, 0)
        g_object_set_property(settings.object(as: GObject.self), "gtk-enable-animations", &value)
        g_value_unset(&value)
    }

    /// Waits until the listing is complete, and then for the requests and the drawing of the views.
    private static func settle(_ browser: Browser) async {
        for _ in 0..<200 {
            try? await Task.sleep(for: .milliseconds(50))
            if browser.areDomainsKnown, !browser.isLoading { break }
        }
        try? await Task.sleep(for: .milliseconds(300))
    }

    /// Draws the window, or the dialog over it, into a PNG file. Tries again for up to 20 seconds if GTK has not drawn
    /// the view yet, which happens on a busy machine.
    private static func picture(_ window: BrowserWindow, _ directory: String, _ name: String) async -> Bool {
        for _ in 0..<200 {
            if draw(window, directory, name) { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private static func draw(_ window: BrowserWindow, _ directory: String, _ name: String) -> Bool {
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
