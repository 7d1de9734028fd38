import CGIO

/// Follows the signals of other programs.
extension BusConnection {
    /// Calls a handler with the arguments of each signal of a program, on the thread of GLib's main loop.
    ///
    /// - Parameters:
    ///   - sender: the name of the program on the bus.
    ///   - interface: `nil` for all interfaces.
    ///   - path: the object; `nil` for all objects.
    /// - Returns: the identifier for ``endFollowing(_:)``.
    func follow(
        _ sender: String, interface: String?, path: String?, _ handler: @escaping @Sendable (BusReply) -> Void
    ) -> UInt32 {
        let data = Unmanaged.passRetained(SignalHandler(handler)).toOpaque()
        return g_dbus_connection_signal_subscribe(
            pointer, sender, interface, nil, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, arguments, data in
                guard let arguments, let data, let owned = g_variant_ref(arguments) else { return }
                Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().handle(BusReply(owning: owned))
            }, data, { data in if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() } })
    }

    func endFollowing(_ subscription: UInt32) { g_dbus_connection_signal_unsubscribe(pointer, subscription) }

    /// Calls a handler when the given name gets an owner, and when the name loses its owner. Also calls the handler
    /// soon after this call, with the current state.
    ///
    /// - Returns: the identifier for ``endWatch(_:)``.
    func followOwner(of name: String, _ handler: @escaping @Sendable (_ hasOwner: Bool) -> Void) -> UInt32 {
        let data = Unmanaged.passRetained(OwnerHandler(handler)).toOpaque()
        return g_bus_watch_name_on_connection(
            pointer, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
            { _, _, _, data in
                if let data { Unmanaged<OwnerHandler>.fromOpaque(data).takeUnretainedValue().handle(true) }
            },
            { _, _, data in
                if let data { Unmanaged<OwnerHandler>.fromOpaque(data).takeUnretainedValue().handle(false) }
            }, data, { data in if let data { Unmanaged<OwnerHandler>.fromOpaque(data).release() } })
    }

    private final class SignalHandler {
        let handle: @Sendable (BusReply) -> Void

        init(_ handle: @escaping @Sendable (BusReply) -> Void) { self.handle = handle }
    }

    private final class OwnerHandler {
        let handle: @Sendable (Bool) -> Void

        init(_ handle: @escaping @Sendable (Bool) -> Void) { self.handle = handle }
    }
}
