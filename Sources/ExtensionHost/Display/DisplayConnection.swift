import Conduit
import Glibc
import LinuxSystem

/// A connection to the user's display. A client of the daemon opens the connection and passes it to an extension's
/// process. The extension's process itself can connect neither to a display nor to any other server of this user.
package struct DisplayConnection: SchemaMessage {
    /// The protocol of the connection.
    package enum Kind: Int, MessageValue, Sendable {
        case wayland = 0
        case x11 = 1
    }

    package let kind: Kind
    /// The value of the variable that names the display in the environment of the extension's process: for example `:1`
    /// for X11, and empty for Wayland.
    package let name: String
    package let socket: FileDescriptor
    /// The entries of the user's Xauthority file for this display; empty if none are needed.
    package let authority: [UInt8]

    package init(_ kind: Kind, name: String = "", socket: FileDescriptor, authority: [UInt8] = []) {
        self.kind = kind
        self.name = name
        self.socket = socket
        self.authority = authority
    }

    package static let schema = Schema(
        { DisplayConnection($0, name: $1, socket: $2, authority: $3) }, Field(0, \DisplayConnection.kind),
        Field(1, \.name), Field(2, \.socket), Field(3, bytes: \.authority)
    ).checked { display throws(MessageError) in
        guard display.name.utf8.count <= 64, !display.name.utf8.contains(0) else {
            throw .invalid("a display with no usable name")
        }
    }
}

// MARK: Connecting

extension DisplayConnection {
    /// Connects to the display that this process's environment names: with Wayland if possible, otherwise with X11.
    /// Returns `nil` if no display accepts the connection. Blocks while a display is busy.
    package static func ofThisUser() -> DisplayConnection? { wayland() ?? x11() }

    private static func wayland() -> DisplayConnection? {
        guard let name = variable("WAYLAND_DISPLAY") else { return nil }
        let path = name.hasPrefix("/") ? name : variable("XDG_RUNTIME_DIR").map { $0 + "/" + name }
        guard let path, let socket = stream(path) else { return nil }
        return DisplayConnection(.wayland, socket: socket)
    }

    /// Connects to the X11 display of this machine that the environment names; `nil` if that fails. Displays of other
    /// machines are not supported, because they require a network connection.
    private static func x11() -> DisplayConnection? {
        guard let display = variable("DISPLAY"), let number = PassedDisplay.number(of: display),
            let socket = stream(PassedDisplay.path(ofDisplay: number))
        else { return nil }
        return DisplayConnection(
            .x11, name: ":\(number)", socket: socket, authority: XAuthority.ofThisUser(forDisplay: number))
    }

    private static func stream(_ path: String) -> FileDescriptor? {
        guard let address = try? LocalSocketAddress(path: path) else { return nil }
        return try? .connectedStream(to: address)
    }

    static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }
}
