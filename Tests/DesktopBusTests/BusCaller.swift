import CGIO
import Foundation

/// A program on the bus that makes several calls at once. Calls block the calling thread.
final class BusCaller: @unchecked Sendable {
    // Sendable: GLib's connections may be used on several threads.
    private let connection: OpaquePointer

    struct NotConnected: Error {}

    init(_ address: String) throws {
        let flags =
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        let made = g_dbus_connection_new_for_address_sync(
            address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
        guard let made else { throw NotConnected() }
        connection = made
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(connection)) }

    /// Calls a method of the files interface with a path.
    ///
    /// - Returns: The error, or `nil` on success.
    func call(_ method: String, path: String) -> String? {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        let text: OpaquePointer? = g_variant_new_string(path)
        var children = [text]
        var arguments: [OpaquePointer?] = [g_variant_new_array(nil, &children, 1)]
        let answer = g_dbus_connection_call_sync(
            connection, BusFixture.name, BusFixture.root, "org.purvey.Purvey1.Files", method,
            g_variant_new_tuple(&arguments, 1), nil, G_DBUS_CALL_FLAGS_NONE, 600_000, nil, &error)
        if let answer { g_variant_unref(answer) }
        return error.map { String(cString: $0.pointee.message) }
    }
}
