import Glibc
import LinuxSystem

/// A folder of a test's own with a short path, removed with the sockets in it when the last reference goes.
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
