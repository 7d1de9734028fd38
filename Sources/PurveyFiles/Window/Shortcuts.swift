import CAdwaita
import FileProviderGTK

/// The keyboard shortcuts of a window, and the window that lists them.
@MainActor enum Shortcuts {
    typealias Name = ItemActions.Name

    private struct Entry {
        let keys: String
        let name: Name
        let title: String
        /// Whether the key works independently of the focus. Keys that also edit text work only while the focus is on
        /// the items.
        var isGlobal = true
    }

    private static let groups: [(title: String, entries: [Entry])] = [
        (
            "Places",
            [
                Entry(keys: "<Alt>Left", name: .back, title: "Back"),
                Entry(keys: "<Alt>Right", name: .forward, title: "Forward"),
                Entry(keys: "<Alt>Up", name: .up, title: "Enclosing folder"),
                Entry(keys: "F6", name: .switchPane, title: "Places or items"),
                Entry(keys: "<Control>f", name: .search, title: "Search"),
                Entry(keys: "<Control><Shift>t", name: .transfers, title: "Transfers"),
                Entry(keys: "F5", name: .reload, title: "Reload"),
            ]
        ),
        (
            "Items",
            [
                Entry(keys: "Return", name: .open, title: "Open", isGlobal: false),
                Entry(keys: "F2", name: .rename, title: "Rename"),
                Entry(keys: "Delete", name: .trash, title: "Move to trash", isGlobal: false),
                Entry(keys: "<Control>z", name: .undo, title: "Undo", isGlobal: false),
                Entry(keys: "<Control><Shift>n", name: .newFolder, title: "New folder"),
                Entry(keys: "<Control>c", name: .copy, title: "Copy", isGlobal: false),
                Entry(keys: "<Control>x", name: .cut, title: "Cut", isGlobal: false),
                Entry(keys: "<Control>v", name: .paste, title: "Paste", isGlobal: false),
                Entry(keys: "<Control>d", name: .duplicate, title: "Duplicate"),
                Entry(keys: "<Control>a", name: .selectAll, title: "Select all", isGlobal: false),
                Entry(keys: "<Control>t", name: .tags, title: "Tags"),
                Entry(keys: "<Control>e", name: .conflict, title: "Compare versions"),
                Entry(keys: "<Control>k", name: .keep, title: "Keep on this computer"),
                Entry(keys: "<Control><Shift>k", name: .freeUp, title: "Free up space"),
                Entry(keys: "Menu|<Shift>F10", name: .menu, title: "Menu of the selection", isGlobal: false),
            ]
        ),
        (
            "Window",
            [
                Entry(keys: "<Control>1", name: .grid, title: "List or grid"),
                Entry(keys: "<Control>i", name: .info, title: "Information"),
                Entry(keys: "<Control>question", name: .shortcuts, title: "Keyboard shortcuts"),
                Entry(keys: "<Control>w", name: .close, title: "Close"),
            ]
        ),
    ]

    /// Installs the global keys in an application, and the other keys in the widget with the items.
    static func install(in application: UnsafeMutablePointer<GtkApplication>, items: Widget) {
        guard let controller = gtk_shortcut_controller_new() else { return }
        for entry in groups.flatMap(\.entries) {
            if entry.isGlobal {
                entry.keys.withCString { keys in
                    var list: [UnsafePointer<CChar>?] = [keys, nil]
                    gtk_application_set_accels_for_action(application, entry.name.detailed, &list)
                }
            } else if entry.name != .open {
                // The views open an item by themselves when Enter is pressed.
                gtk_shortcut_controller_add_shortcut(
                    OpaquePointer(controller.gtkAddress),
                    gtk_shortcut_new(
                        gtk_shortcut_trigger_parse_string(entry.keys),
                        gtk_shortcut_action_parse_string("action(\(entry.name.detailed))")))
            }
        }
        gtk_widget_add_controller(items, controller)
    }

    /// Shows the window that lists the keys. GTK has no constructors for its parts.
    static func show(over window: UnsafeMutablePointer<GtkWindow>) {
        guard let builder = gtk_builder_new_from_string(description, -1),
            let object = gtk_builder_get_object(builder, "shortcuts")
        else { return }
        let shortcuts = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_transient_for(shortcuts, window)
        gtk_window_present(shortcuts)
        g_object_unref(UnsafeMutableRawPointer(builder))
    }

    private static var description: String {
        var text = """
            <interface><object class="GtkShortcutsWindow" id="shortcuts"><property name="modal">1</property>
            <child><object class="GtkShortcutsSection"><property name="section-name">all</property>
            <property name="max-height">14</property>
            """
        for group in groups {
            text += "<child><object class=\"GtkShortcutsGroup\"><property name=\"title\">\(group.title)</property>"
            for entry in group.entries {
                let keys = entry.keys.replacing("|", with: " ").replacing("<", with: "&lt;").replacing(
                    ">", with: "&gt;")
                text += """
                    <child><object class="GtkShortcutsShortcut"><property name="accelerator">\(keys)</property>
                    <property name="title">\(entry.title)</property></object></child>
                    """
            }
            text += "</object></child>"
        }
        return text + "</object></child></object></interface>"
    }
}

extension String {
    fileprivate func replacing(_ character: Character, with text: String) -> String {
        split(separator: character, omittingEmptySubsequences: false).joined(separator: text)
    }
}
