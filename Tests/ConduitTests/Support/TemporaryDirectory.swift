import Foundation
import LinuxSystem

/// A temporary directory for one test. It is removed with its contents when the last reference is released.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/conduit-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        path = String(cString: made)
    }

    deinit {
        // A listener removes its socket asynchronously. A removal that races with it leaves the rest, so it is
        // repeated.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
