import CLinux
import Glibc

/// A connection to a display of X11's that a confined process was handed.
///
/// It makes no local sockets (`Confinement.localSocket`), and X11's libraries connect by themselves: what they make and connect is
/// that connection, once. Those of Wayland take a connection from the environment, and need none of this.
package enum HandedDisplay {
    /// In the environment: the numbers of the connection's descriptor and of what takes its place, parted by a comma.
    package static let environmentKey = "PURVEY_DISPLAY"

    /// In the environment, by Wayland's own convention: the number of the connection's descriptor.
    package static let waylandKey = "WAYLAND_SOCKET"

    /// Where the display of a number listens: a path, and a name without a file.
    package static func path(ofDisplay number: Int) -> String { "/tmp/.X11-unix/X\(number)" }

    /// The number in the environment's `DISPLAY`, if it is one of this machine: `:1`, `unix:1.0`.
    package static func number(of display: String) -> Int? {
        guard let colon = display.lastIndex(of: ":") else { return nil }
        let host = display[..<colon]
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        guard host.isEmpty || host == "unix", !number.isEmpty, number.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return nil
        }
        return Int(number)
    }

    /// Has it answer for the display that the environment names. Call it once, before a library connects.
    ///
    /// - Returns: whether the process was handed a display, of whichever kind.
    package static func serve() throws(Errno) -> Bool {
        if getenv(waylandKey) != nil { return true }
        guard let handed = getenv(environmentKey), let display = getenv("DISPLAY"),
            let number = number(of: String(cString: display))
        else { return false }
        let numbers = String(cString: handed).split(separator: ",").compactMap { CInt($0) }
        guard numbers.count == 2 else { throw .invalidArgument }
        let error = clinux_serve_display(numbers[0], numbers[1], path(ofDisplay: number))
        guard error == 0 else { throw Errno(rawValue: error) }
        return true
    }
}
