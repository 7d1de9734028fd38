import CAdwaita
import FileProviderGTK

/// The style of the window in addition to libadwaita's own. It uses libadwaita's named colors, so that it suits the
/// dark and the light color scheme.
@MainActor enum Style {
    static func install() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }

    private static let sheet = """
        .item-row { padding: 6px 12px; min-height: 28px; }
        .item-list > row { border-radius: 6px; margin: 0 6px; padding: 0; }
        .item-list { background: none; }
        .item-grid { background: none; padding: 12px; }
        .item-grid > child { border-radius: 12px; padding: 0; margin: 3px; }
        .item-tile { padding: 12px 6px; min-height: 122px; }
        .sort-header { padding: 2px 12px 2px 12px; border-bottom: 1px solid alpha(currentColor, 0.1); }
        .sort-button { padding: 2px 6px; min-height: 24px; font-weight: normal; }
        .place { padding: 4px 2px; }
        .path-bar button { padding: 2px 8px; min-height: 26px; }
        .failure { background-color: alpha(@warning_bg_color, 0.25); padding: 6px 12px; }
        .failure button { min-height: 28px; }
        .picker-bar { padding: 9px 12px; border-top: 1px solid alpha(currentColor, 0.15); }
        .condition { padding: 12px; }
        .warning { color: @warning_color; }
        levelbar.space block { min-height: 3px; border-radius: 2px; }
        levelbar.space trough { margin-top: 2px; }
        """
}
