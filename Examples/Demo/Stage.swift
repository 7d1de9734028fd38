import Foundation
import Glibc
import LinuxSystem

/// A directory and a daemon for the demonstration alone, so that the user's data is not touched.
final class Stage: Sendable {
    /// The directory that contains all files of the demonstration.
    let home: URL
    /// The environment of every child process.
    let environment: [String: String]
    private let daemon = Lock<Child?>(nil)

    /// The reason why the stage cannot be prepared.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        // The path is short, because the path of a Unix domain socket may have at most 107 bytes.
        var template = Array("/tmp/purvey-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "cannot make a folder in /tmp: \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        home = URL(fileURLWithPath: path)
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = path
        // A child that loses the daemon when the stage is cleared must not start another one. Therefore this is the
        // path of a program that does not exist.
        environment["PURVEY_DAEMON"] = path + "/none"
        self.environment = environment
    }

    /// Starts the daemon and waits until it has created its socket. Clients that start earlier would not find the
    /// socket.
    func startDaemon() throws {
        let program = try Program.sibling("purveyd")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(description: "the daemon's program is not beside this one, at \(program.path): build it, too")
        }
        let daemon = try Child(
            program, ["--foreground", "--no-mount", "--log", "warning"], environment: environment)
        self.daemon.withLock { $0 = daemon }
        let socket = home.appendingPathComponent("run/daemon.socket").path
        while !FileManager.default.fileExists(atPath: socket) {
            guard daemon.isRunning else {
                throw Failure(description: "the daemon ended while it started (\(daemon.wait()))")
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Whether the daemon still runs.
    var hasDaemon: Bool { daemon.withLock { $0?.isRunning ?? false } }

    /// Clears the stage and ends the program when a signal interrupts it. The caller must retain the returned sources.
    func clearOnInterrupt() -> [any DispatchSourceSignal] {
        [SIGHUP, SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                self.clear()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Ends the daemon and removes the directory.
    func clear() {
        let daemon = daemon.withLock { $0 }
        daemon?.terminate()
        daemon?.wait()
        try? FileManager.default.removeItem(at: home)
    }
}
