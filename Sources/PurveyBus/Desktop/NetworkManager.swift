import Glibc

/// NetworkManager on the system's bus, which knows whether a network is metered.
enum NetworkManager {
    static let name = "org.freedesktop.NetworkManager"
    static let object = RemoteObject(name: name, path: "/org/freedesktop/NetworkManager")
    /// The values of the property `Metered` for a network that is metered, or that NetworkManager assumes to be
    /// metered.
    private static let meteredValues: Set<UInt32> = [1, 3]

    /// The address of the system's bus.
    static var address: String {
        getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Returns whether the network is metered; `nil` if there is no reply.
    static func isMetered(over bus: BusConnection, isolation: isolated (any Actor)? = #isolation) async -> Bool? {
        let reply = try? await bus.call(
            object, BusNames.properties + ".Get", [.string(name), .string("Metered")], reply: "(v)")
        return reply?[0]?.boxed?.number.map { meteredValues.contains($0) }
    }
}
