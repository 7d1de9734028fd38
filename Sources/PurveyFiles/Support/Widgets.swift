import CAdwaita
import FileProviderGTK

// GTK's constructors never return NULL, because GLib ends the process if memory is short. Therefore their results are
// used without a check.

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// The widget in the form that Swift uses for objects of an incomplete C type.
    var opaque: OpaquePointer { OpaquePointer(self) }

    var isVisible: Bool {
        get { gtk_widget_get_visible(self) != 0 }
        nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
    }

    /// Adds a widget at the end of a box.
    func append(_ child: Widget) { gtk_box_append(object(as: GtkBox.self), child) }

    func addClass(_ names: String...) { for name in names { gtk_widget_add_css_class(self, name) } }

    func setClass(_ name: String, _ isSet: Bool) {
        if isSet { gtk_widget_add_css_class(self, name) } else { gtk_widget_remove_css_class(self, name) }
    }

    func setMargins(_ margin: CInt) {
        gtk_widget_set_margin_top(self, margin)
        gtk_widget_set_margin_bottom(self, margin)
        gtk_widget_set_margin_start(self, margin)
        gtk_widget_set_margin_end(self, margin)
    }

    /// Removes all children with `remove`, the function of the container's class that removes one child.
    func removeChildren(_ remove: (Widget) -> Void) {
        while let child = gtk_widget_get_first_child(self) { remove(child) }
    }

    /// Sets the name and description for assistive technologies.
    func setAccessible(label: String, description: String? = nil) {
        update(GTK_ACCESSIBLE_PROPERTY_LABEL, label)
        if let description { update(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description) }
    }

    private func update(_ property: GtkAccessibleProperty, _ text: String) {
        var property = property
        var value = GValue()
        gtk_accessible_property_init_value(property, &value)
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(opaque, 1, &property, &value)
        g_value_unset(&value)
    }

    /// Sets the tooltip, which is also the accessible name.
    func setTip(_ text: String) {
        gtk_widget_set_tooltip_text(self, text)
        setAccessible(label: text)
    }
}

/// Constructors of widgets with the properties that this program uses.
@MainActor enum Make {
    static func box(_ orientation: GtkOrientation, spacing: CInt = 0, _ children: Widget...) -> Widget {
        let box: Widget = gtk_box_new(orientation, spacing)
        for child in children { box.append(child) }
        return box
    }

    /// Returns a label with plain text at the start of its line.
    static func label(_ text: String = "", _ classes: String..., wraps: Bool = false) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_xalign(label.opaque, 0)
        for name in classes { label.addClass(name) }
        if wraps {
            gtk_label_set_wrap(label.opaque, 1)
            gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
            gtk_label_set_natural_wrap_mode(label.opaque, GTK_NATURAL_WRAP_NONE)
        } else {
            gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        }
        return label
    }

    static func icon(_ name: String) -> Widget { gtk_image_new_from_icon_name(name) }

    /// Returns a button with an icon. The tooltip `tip` is also the button's accessible name.
    static func button(icon: String, tip: String, action: String? = nil) -> Widget {
        let button: Widget = gtk_button_new_from_icon_name(icon)
        button.setTip(tip)
        if let action { gtk_actionable_set_action_name(button.opaque, action) }
        return button
    }

    static func button(_ label: String, _ classes: String..., action: @escaping @MainActor () -> Void) -> Widget {
        let button: Widget = gtk_button_new_with_label(label)
        for name in classes { button.addClass(name) }
        onSignal("clicked", of: button, action)
        return button
    }

    static func scrolled(_ child: Widget) -> Widget {
        let scrolled: Widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(scrolled.opaque, child)
        gtk_widget_set_vexpand(scrolled, 1)
        gtk_widget_set_hexpand(scrolled, 1)
        return scrolled
    }
}

/// Sets the text of a label.
@MainActor func setText(_ label: Widget, _ text: String) { gtk_label_set_text(label.opaque, text) }
