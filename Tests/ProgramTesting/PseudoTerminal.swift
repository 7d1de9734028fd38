import Glibc
import LinuxSystem

/// A pseudo-terminal. A program uses one side, and a test uses the other to type and to read the displayed text.
package struct PseudoTerminal: Sendable {
    /// The test's side. Bytes written to it are typed, and bytes read from it are displayed.
    package let display: FileDescriptor
    /// The path of the program's side.
    package let path: String

    /// Opens a new pseudo-terminal. It becomes the controlling terminal of a session without a terminal that opens
    /// ``path``.
    package init() throws(Errno) {
        display = try .open("/dev/ptmx", .readWrite)
        path = "/dev/pts/\(try Self.unlock(display))"
    }

    /// Unlocks the program's side, and returns its number (ioctl_tty(2)). The C library's functions for this are
    /// hidden from Swift.
    private static func unlock(_ terminal: FileDescriptor) throws(Errno) -> CInt {
        var (lock, number): (CInt, CInt) = (0, 0)
        try retrying { ioctl(terminal.rawValue, setLock, &lock) }
        try retrying { ioctl(terminal.rawValue, getNumber, &number) }
        return number
    }

    /// The requests TIOCSPTLCK and TIOCGPTN.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// Types a text. Blocks while the terminal's buffer is full.
    package func type(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try display.writeAll($0) }
    }
}
