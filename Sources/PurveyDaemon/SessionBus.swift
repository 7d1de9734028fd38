import Glibc

/// Where the message bus of the user's session is.
enum SessionBus {
    /// Whether whoever started this process wants nothing on the bus.
    static var isUnwanted: Bool { variable("PURVEY_BUS") == "none" }

    /// Its address, as D-Bus writes addresses; `nil` where there is none now.
    static var address: String? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        // Where systemd and others put it.
        guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        let path = folder + "/bus"
        return access(path, R_OK | W_OK) == 0 ? "unix:path=" + escaped(path) : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// A value in an address: what is not a letter, a digit or one of a few signs is written by its number.
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
