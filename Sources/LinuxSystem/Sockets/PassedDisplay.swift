import CLinux
import Glibc

/// A connection to an X11 display that the daemon passes to a confined process.
///
/// A confined process cannot connect local sockets, but X11's libraries create and connect a local socket themselves.
/// Therefore the passed connection replaces the first socket that a library creates (`Confinement.localSocket`).
/// Wayland's libraries read the number of a connected descriptor from the environment, so they need no replacement.
package enum PassedDisplay {
    /// The environment variable with two descriptor numbers, separated by a comma: the number of the passed connection,
    /// and the number that is reserved for the socket that a library creates.
    package static let environmentKey = "PURVEY_DISPLAY"

    /// Wayland's own environment variable for the descriptor number of the connection.
    package static let waylandKey = "WAYLAND_SOCKET"

    /// Returns the path of the socket of the display with the given number. The display also listens at an abstract
    /// address that consists of the same text.
    package static func path(ofDisplay number: Int) -> String { "/tmp/.X11-unix/X\(number)" }

    /// Returns the display number if `display`, a value of the variable `DISPLAY`, names a display of this machine,
    /// such as `:1` or `unix:1.0`; otherwise `nil`.
    package static func number(of display: String) -> Int? {
        guard let colon = display.lastIndex(of: ":") else { return nil }
        let host = display[..<colon]
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        guard host.isEmpty || host == "unix", !number.isEmpty, number.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return nil
        }
        return Int(number)
    }

    /// Makes a library that connects to the display in `DISPLAY` use the passed connection. Must be called once, before
    /// a library connects.
    ///
    /// - Returns: whether a connection to a display, of X11 or Wayland, was passed to this process.
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
