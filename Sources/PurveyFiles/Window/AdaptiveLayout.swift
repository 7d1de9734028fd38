import CAdwaita
import FileProviderGTK

/// The layout of a window's parts: side by side, or one at a time if the window is narrow.
///
/// AdwLeaflet and AdwFlap are deprecated since libadwaita 1.4. Only this file uses them.
@MainActor final class AdaptiveLayout {
    /// The widget with the sidebar and the content.
    let widget: Widget
    private let leaflet: OpaquePointer
    private let flap: OpaquePointer

    /// Called after the width of the body may have changed.
    var whenResized: () -> Void = {}

    /// - Parameters:
    ///   - sidebar: the places, which are shown on a separate page in a narrow window.
    ///   - frame: the content with its header bar.
    ///   - body: the part of the content that is shown beside the pane.
    ///   - pane: the information about the selection.
    ///   - insert: puts the widget with body and pane into the frame.
    init(sidebar: Widget, frame: Widget, body: Widget, pane: Widget, insert: (Widget) -> Void) {
        let flapWidget: Widget = adw_flap_new()
        flap = flapWidget.opaque
        adw_flap_set_content(flap, body)
        adw_flap_set_flap(flap, pane)
        adw_flap_set_separator(flap, gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        adw_flap_set_flap_position(flap, GTK_PACK_END)
        adw_flap_set_reveal_flap(flap, 0)
        // When the window becomes wider, the pane stays shown or hidden, as the user has chosen.
        adw_flap_set_locked(flap, 1)
        gtk_widget_set_vexpand(flapWidget, 1)
        insert(flapWidget)

        widget = adw_leaflet_new()
        leaflet = widget.opaque
        adw_leaflet_append(leaflet, sidebar)
        let separator: Widget = gtk_separator_new(GTK_ORIENTATION_VERTICAL)
        adw_leaflet_page_set_navigatable(adw_leaflet_append(leaflet, separator), 0)
        adw_leaflet_append(leaflet, frame)
        adw_leaflet_set_can_navigate_back(leaflet, 1)
        adw_leaflet_set_visible_child(leaflet, frame)
        self.frame = frame
        self.sidebar = sidebar
        Signals.pointer("notify::folded", of: leaflet) { [weak self] _ in self?.whenResized() }
        Signals.pointer("notify::folded", of: flap) { [weak self] _ in self?.whenResized() }
    }

    private let frame: Widget
    private let sidebar: Widget

    /// Whether only one part is visible.
    var isFolded: Bool { adw_leaflet_get_folded(leaflet) != 0 }

    func showContent() { adw_leaflet_set_visible_child(leaflet, frame) }
    func showSidebar() { adw_leaflet_set_visible_child(leaflet, sidebar) }

    var isPaneShown: Bool {
        get { adw_flap_get_reveal_flap(flap) != 0 }
        set {
            adw_flap_set_reveal_flap(flap, newValue ? 1 : 0)
            whenResized()
        }
    }

    /// Returns the width of the body in a window of the given width.
    func bodyWidth(ofWindow width: CInt) -> CInt {
        var width = width
        if !isFolded { width -= Self.sidebarWidth }
        if isPaneShown, adw_flap_get_folded(flap) == 0 { width -= Self.paneWidth }
        return width
    }

    static let sidebarWidth: CInt = 230
    static let paneWidth: CInt = 280
}
