import CGIO
import Glibc
import LinuxSystem

/// The connection to the bus. Actors use it on the thread of GLib's main loop, which also runs the callbacks.
struct BusConnection: @unchecked Sendable {
    // Sendable: GLib's connections may be used on any thread, and a description of interfaces is never changed.
    let pointer: OpaquePointer
    private let description: UnsafeMutablePointer<GDBusNodeInfo>

    /// Connects and blocks until the bus has replied. Returns `nil` if the bus cannot be reached.
    ///
    /// - Parameter address: the address of the bus, in the syntax of D-Bus addresses.
    init?(address: String) {
        let connection = g_dbus_connection_new_for_address_sync(address, Self.flags, nil, nil, nil)
        guard let connection else { return nil }
        self.init(connection)
    }

    /// Creates a connection from GLib's object.
    ///
    /// - Parameter connection: GLib's object. This object takes ownership of a reference to it.
    init?(_ connection: OpaquePointer) {
        guard let node = g_dbus_node_info_new_for_xml(BusNames.description, nil) else { return nil }
        pointer = connection
        description = node
    }

    /// The flags of a connection to a message bus.
    static var flags: GDBusConnectionFlags {
        let flags = [G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION]
        return GDBusConnectionFlags(rawValue: flags.reduce(0) { $0 | $1.rawValue })
    }

    /// Ends the process when the connection to the bus closes.
    func exitWhenClosed(with status: CInt) {
        let handler: @convention(c) (gpointer?, gboolean, gpointer?, gpointer?) -> Void = { _, _, _, data in
            _exit(CInt(truncatingIfNeeded: Int(bitPattern: data)))
        }
        // SAFETY: GLib calls the handler with the arguments of the signal (the connection, whether the bus closed it,
        // and the error) and the user data.
        let callback = unsafeBitCast(handler, to: GCallback.self)
        g_signal_connect_data(
            UnsafeMutableRawPointer(pointer), "closed", callback, UnsafeMutableRawPointer(bitPattern: Int(status)), nil,
            GConnectFlags(rawValue: 0))
        if g_dbus_connection_is_closed(pointer) != 0 { _exit(status) }
    }

    // MARK: Objects

    /// Exports an interface of the object at the given path. Returns the identifier for ``takeAway(_:)``, or 0 if the
    /// interface cannot be exported.
    ///
    /// - Parameter bus: handles the calls. It must exist as long as the process.
    func show(_ interface: String, at path: String, by bus: DesktopBus) -> UInt32 {
        var table = GDBusInterfaceVTable()
        table.method_call = { _, sender, path, interface, method, arguments, invocation, data in
            guard let data, let arguments, let invocation else { return }
            let call = MethodCall(sender, path, interface, method, BusArguments(arguments))
            let answerer = Invocation(invocation)
            Unmanaged<DesktopBus>.fromOpaque(data).takeUnretainedValue().assumeIsolated { $0.take(call, answerer) }
        }
        table.get_property = { _, _, path, interface, name, error, data in
            guard let data, let path, let interface, let name else { return nil }
            let (object, property) = (String(cString: path), String(cString: name))
            let kind = String(cString: interface)
            let bus = Unmanaged<DesktopBus>.fromOpaque(data).takeUnretainedValue()
            let value = bus.assumeIsolated { $0.property(property, of: kind, ofObject: object) }
            guard let value else {
                g_set_error_literal(
                    error, g_dbus_error_quark(), CInt(G_DBUS_ERROR_UNKNOWN_OBJECT.rawValue), "it is gone")
                return nil
            }
            return value.variant
        }
        let information = g_dbus_node_info_lookup_interface(description, interface)
        let data = Unmanaged.passUnretained(bus).toOpaque()
        return g_dbus_connection_register_object(pointer, path, information, &table, data, nil, nil)
    }

    /// Exports the menu of a domain's account.
    func menu(at path: String, by bus: DesktopBus) -> AccountMenu? { AccountMenu(of: path, over: pointer, for: bus) }

    func takeAway(_ registration: UInt32) { g_dbus_connection_unregister_object(pointer, registration) }

    /// Requests ownership of a bus name, which is granted now or when its current owner releases it. Returns the
    /// identifier for ``disown(_:)``.
    func own(_ name: String) -> UInt32 {
        g_bus_own_name_on_connection(pointer, name, G_BUS_NAME_OWNER_FLAGS_NONE, nil, nil, nil, nil)
    }

    func disown(_ ownership: UInt32) { g_bus_unown_name(ownership) }

    // MARK: Signals

    func emit(_ signal: String, of interface: String, at path: String, _ arguments: [BusValue]) {
        // Fails only if the connection is closed, which ends the process.
        _ = g_dbus_connection_emit_signal(
            pointer, nil, path, interface, signal, BusValue.tuple(arguments).variant, nil)
    }

    /// Shows a notification. Does nothing on a desktop without a notification service.
    func show(_ notification: DesktopNotification) {
        g_dbus_connection_call(
            pointer, DesktopNotification.service, DesktopNotification.path, DesktopNotification.service, "Notify",
            BusValue.tuple(notification.arguments).variant, nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, nil, nil)
    }

    /// Shows files or folders in the desktop's file manager, which the bus starts if necessary. Does nothing on a
    /// desktop without a file manager.
    ///
    /// - Parameter method: A method of `org.freedesktop.FileManager1`.
    func showInFileManager(_ method: String, _ paths: [String]) {
        let addresses = paths.compactMap { path in
            g_filename_to_uri(path, nil, nil).map { address in
                defer { g_free(address) }
                return String(cString: address)
            }
        }
        g_dbus_connection_call(
            pointer, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1",
            method, BusValue.tuple([.strings(addresses), .string("")]).variant, nil, G_DBUS_CALL_FLAGS_NONE, -1, nil,
            nil,
            nil)
    }

    /// Waits until all messages were sent to the bus.
    func flush(isolation: isolated (any Actor)? = #isolation) async {
        final class Waiting {
            let continuation: CheckedContinuation<Void, Never>

            init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
        }
        await withCheckedContinuation { continuation in
            let data = Unmanaged.passRetained(Waiting(continuation)).toOpaque()
            g_dbus_connection_flush(
                pointer, nil,
                { source, result, data in
                    if let source { g_dbus_connection_flush_finish(OpaquePointer(source), result, nil) }
                    guard let data else { return }
                    Unmanaged<Waiting>.fromOpaque(data).takeRetainedValue().continuation.resume()
                }, data)
        }
    }

    // MARK: Others

    /// Calls ``DesktopBus/vanished(_:)`` when the owner of the given name has left the bus. If the name has no owner at
    /// the time of this call, the method is called soon.
    ///
    /// - Returns: the identifier for ``endWatch(_:)``.
    func watch(_ name: String, for bus: DesktopBus) -> UInt32 {
        g_bus_watch_name_on_connection(
            pointer, name, G_BUS_NAME_WATCHER_FLAGS_NONE, nil,
            { _, name, data in
                guard let data, let name else { return }
                let caller = String(cString: name)
                Unmanaged<DesktopBus>.fromOpaque(data).takeUnretainedValue().assumeIsolated { $0.vanished(caller) }
            }, Unmanaged.passUnretained(bus).toOpaque(), nil)
    }

    func endWatch(_ watch: UInt32) { g_bus_unwatch_name(watch) }
}
