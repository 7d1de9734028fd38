import Glibc

/// The daemon's log.
enum StandardError {
    /// Writes one line.
    static func complain(_ message: String) {
        let bytes = Array("purvey-bus: \(message)\n".utf8)
        // One write is one line. Nobody is left to be told that it failed.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
