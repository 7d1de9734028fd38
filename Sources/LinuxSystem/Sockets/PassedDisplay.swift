import CLinux
import Glibc

/// A connection to an X11 display that the daemon passes to a confined process.
///
/// Such a process cannot create local sockets (`Confinement.localSocket`), but X11's libraries create and connect one
/// themselves. The passed connection replaces the first socket that a library creates. Wayland's libraries accept the
/// number of a connected descriptor in the environment, so that they need no replacement.
package enum PassedDisplay {
    /// The environment variable with two descriptor numbers, separated by a comma: the connection's, and the number
    /// reserved for the socket that a library creates.
    package static let environmentKey = "PURVEY_DISPLAY"

    /// Wayland's own environment variable for the descriptor number of the connection.
    package static let waylandKey = "WAYLAND_SOCKET"

    /// Returns the path of a display's socket. The display also listens at the abstract name of the same text.
    package static func path(ofDisplay number: Int) -> String { "/tmp/.X11-unix/X\(number)" }

    /// Returns the number in a value of `DISPLAY` if it names a display of this machine, such as `:1` or `unix:1.0`.
    package static func number(of display: String) -> Int? {
        guard let colon = display.lastIndex(of: ":") else { return nil }
        let host = display[..<colon]
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        guard host.isEmpty || host == "unix", !number.isEmpty, number.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return nil
        }
        return Int(number)
    }

    /// Substitutes the passed connection for the display that `DISPLAY` names. Must be called once, before a library
    /// connects.
    ///
    /// - Returns: whether the process was passed a display, of X11 or Wayland.
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
