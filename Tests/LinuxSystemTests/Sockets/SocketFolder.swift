import Glibc
import LinuxSystem

/// A test's own directory with a short path, removed with its sockets when the last reference goes.
final class SocketFolder: Sendable {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/socket-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno.current }
        path = String(cString: made)
    }

    deinit {
        unlink(path + "/socket")
        rmdir(path)
    }
}
