import CAdwaita
import FileProviderGTK

/// Connections to signals with arguments. GTK emits signals on the main thread only.
@MainActor enum Signals {
    /// Calls a closure whenever an object emits a signal whose only argument is a pointer. Such signals are `bind`,
    /// `notify`, and `activate` of an action.
    static func pointer(
        _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor (UnsafeMutableRawPointer?) -> Void
    ) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, argument, data in
            // SAFETY: the pointer does not leave the main thread.
            nonisolated(unsafe) let argument = argument
            Handler<UnsafeMutableRawPointer?, Void>.run(data) { $0(argument) }
        }
        // SAFETY: GTK calls the handler with the object, the arguments of the signal, and the connection's data, in
        // this order.
        connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Handler(action))
    }

    /// Calls a closure whenever an object emits a signal whose only argument is a row number. Such a signal is
    /// `activate` of a list.
    static func position(
        _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor (Int) -> Void
    ) {
        let handler: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, data in
            Handler<Int, Void>.run(data) { $0(Int(position)) }
        }
        // SAFETY: as above.
        connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Handler(action))
    }

    /// Calls a closure whenever rows have been selected or deselected.
    static func selection(_ object: some GTKPointer, _ action: @escaping @MainActor () -> Void) {
        let handler: @convention(c) (gpointer?, guint, guint, gpointer?) -> Void = { _, _, _, data in
            Handler<Void, Void>.run(data) { $0(()) }
        }
        // SAFETY: as above.
        connect(object, "selection-changed", unsafeBitCast(handler, to: GCallback.self), Handler { action() })
    }

    /// Calls a closure with the coordinates of each click.
    static func click(
        _ gesture: some GTKPointer, _ action: @escaping @MainActor ((x: Double, y: Double)) -> Void
    ) {
        let handler: @convention(c) (gpointer?, gint, gdouble, gdouble, gpointer?) -> Void = { _, _, x, y, data in
            Handler<(x: Double, y: Double), Void>.run(data) { $0((x, y)) }
        }
        // SAFETY: as above.
        connect(gesture, "pressed", unsafeBitCast(handler, to: GCallback.self), Handler(action))
    }

    /// Calls a closure with GDK's value of each pressed key. The closure returns whether it has handled the key.
    static func key(_ controller: some GTKPointer, _ action: @escaping @MainActor (guint) -> Bool) {
        let handler: @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
            _, key, _, _, data in
            Handler<guint, Bool>.run(data) { $0(key) } == true ? 1 : 0
        }
        // SAFETY: as above, with a result.
        connect(controller, "key-pressed", unsafeBitCast(handler, to: GCallback.self), Handler(action))
    }

    /// Shows the text that a closure returns as the tooltip of a widget. If the closure returns an empty text, shows no
    /// tooltip.
    ///
    /// GTK calls the closure when the pointer rests on the widget. `gtk_widget_set_tooltip_text` instead asks the X
    /// server for the pointer's position in each call, which took a third of the time in which a folder opens.
    static func tooltip(of widget: Widget, _ text: @escaping @MainActor () -> String) {
        typealias Query = @convention(c) (gpointer?, gint, gint, gboolean, OpaquePointer?, gpointer?) -> gboolean
        let handler: Query = { _, _, _, _, tooltip, data in
            guard let text = Handler<Void, String>.run(data, { $0(()) }), !text.isEmpty else { return 0 }
            gtk_tooltip_set_text(tooltip, text)
            return 1
        }
        // SAFETY: GTK calls it on the main thread, with the arguments of this signal: two coordinates, whether the
        // keyboard requests the tooltip, and the tooltip, between the object and the connection's data.
        connect(widget, "query-tooltip", unsafeBitCast(handler, to: GCallback.self), Handler { text() })
        gtk_widget_set_has_tooltip(widget, 1)
    }

    /// Calls a closure that returns whether it has handled the signal. If so, GTK does not handle the signal further.
    /// Such a signal is `close-request`.
    static func question(_ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor () -> Bool) {
        let handler: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
            Handler<Void, Bool>.run(data) { $0(()) } == true ? 1 : 0
        }
        // SAFETY: as above.
        connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Handler { action() })
    }

    /// Calls a closure before each frame of a widget is drawn, until the closure returns `false`.
    static func tick(of widget: Widget, _ action: @escaping @MainActor () -> Bool) {
        gtk_widget_add_tick_callback(
            widget,
            { _, _, data in Handler<Void, Bool>.run(data) { $0(()) } == true ? 1 : 0 },
            Unmanaged<AnyObject>.passRetained(Handler<Void, Bool> { action() }).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
    }

    private static func connect(
        _ object: some GTKPointer, _ signal: String, _ callback: GCallback?, _ handler: AnyObject
    ) {
        g_signal_connect_data(
            object.gtkAddress, signal, callback, Unmanaged.passRetained(handler).toOpaque(),
            { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } },
            GConnectFlags(rawValue: 0))
    }
}

/// The closure of a signal, retained by the connection.
private final class Handler<Argument, Result: Sendable> {
    private let action: @MainActor (Argument) -> Result

    init(_ action: @escaping @MainActor (Argument) -> Result) { self.action = action }

    @discardableResult
    static func run(
        _ data: gpointer?, _ body: @MainActor (@MainActor (Argument) -> Result) -> Result
    ) -> Result? {
        guard let data else { return nil }
        let action = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().action
        return MainActor.assumeIsolated { body(action) }
    }
}
