import Glibc

/// The message bus of the user's session.
enum SessionBus {
    /// Whether the environment disables the use of the bus.
    static var isUnwanted: Bool { variable("PURVEY_BUS") == "none" }

    /// The bus address in D-Bus syntax; `nil` if there is no bus at present.
    static var address: String? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        // The default location of systemd and others.
        guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        let path = folder + "/bus"
        return access(path, R_OK | W_OK) == 0 ? "unix:path=" + escaped(path) : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Escapes a value of an address: bytes other than letters, digits and a few signs are written as hexadecimal
    /// numbers.
    private static func escaped(_ value: String) -> String {
        let plain = Set("-_/.*ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let digits = Array("0123456789abcdef")
        return value.utf8.reduce(into: "") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
