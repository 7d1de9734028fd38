import Conduit
import Glibc
import LinuxSystem

/// A connection to the display that a person sits at. Whoever wants something asked makes it, and the extension's process is handed
/// it: it reaches no display, and no other server of this user, by itself.
package struct DisplayConnection: Message {
    /// The protocol that is spoken on the connection.
    package enum Kind: Int, MessageValue, Sendable {
        case wayland = 0
        case x11 = 1
    }

    package let kind: Kind
    /// What the environment of the process calls it: `:1` as X11 has it, and nothing for Wayland.
    package let name: String
    package let socket: FileDescriptor
    /// The part of the person's Xauthority file that lets one into this display; empty where none is needed.
    package let authority: [UInt8]

    package init(_ kind: Kind, name: String = "", socket: FileDescriptor, authority: [UInt8] = []) {
        self.kind = kind
        self.name = name
        self.socket = socket
        self.authority = authority
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        kind = try decoder.decode(forKey: 0)
        name = try decoder.decode(forKey: 1)
        socket = try decoder.decode(forKey: 2)
        authority = try decoder.decode(ByteString.self, forKey: 3).bytes
        guard name.utf8.count <= 64, !name.utf8.contains(0) else { throw .invalid("a display with no usable name") }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(kind, forKey: 0)
        encoder.encode(name, forKey: 1)
        encoder.encode(socket, forKey: 2)
        encoder.encode(ByteString(authority), forKey: 3)
    }
}

// MARK: Connecting

extension DisplayConnection {
    /// Connects to the display that this process's environment names, Wayland's before X11's; `nil` where it names none that answers.
    /// Blocks for as long as a display takes that is busy.
    package static func ofThisPerson() -> DisplayConnection? { wayland() ?? x11() }

    private static func wayland() -> DisplayConnection? {
        guard let name = variable("WAYLAND_DISPLAY") else { return nil }
        let path = name.hasPrefix("/") ? name : variable("XDG_RUNTIME_DIR").map { $0 + "/" + name }
        guard let path, let socket = stream(path) else { return nil }
        return DisplayConnection(.wayland, socket: socket)
    }

    /// One of this machine's: what another machine shows would need its own way there.
    private static func x11() -> DisplayConnection? {
        guard let display = variable("DISPLAY"), let number = HandedDisplay.number(of: display),
            let socket = stream(HandedDisplay.path(ofDisplay: number))
        else { return nil }
        return DisplayConnection(
            .x11, name: ":\(number)", socket: socket, authority: XAuthority.ofThisPerson(forDisplay: number))
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
