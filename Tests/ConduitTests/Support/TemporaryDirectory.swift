import Foundation
import LinuxSystem

/// A directory of a test's own, removed with what is in it when the last reference goes.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/conduit-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        path = String(cString: made)
    }

    deinit {
        // A removal that meets with a listener's, which takes its socket away in its own time, leaves the rest.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
