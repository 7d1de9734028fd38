import Foundation
import Glibc
import LinuxSystem

/// A folder and a daemon of the demonstration's own, so that nothing of the person who runs it is touched.
final class Stage: Sendable {
    /// The folder that holds everything.
    let home: URL
    /// The environment of every process that plays a part.
    let environment: [String: String]
    private let daemon = Lock<Child?>(nil)

    /// A reason why there is no stage.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        // Short, because the path of a local socket may take 107 bytes at most.
        var template = Array("/tmp/purvey-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "cannot make a folder in /tmp: \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        home = URL(fileURLWithPath: path)
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = path
        // A side that loses the daemon, because the stage is cleared, must not start another one: there is no such program.
        environment["PURVEY_DAEMON"] = path + "/none"
        self.environment = environment
    }

    /// Starts the daemon and waits until it has made its socket: a side that came earlier would find none.
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

    /// Whether the daemon is still there.
    var hasDaemon: Bool { daemon.withLock { $0?.isRunning ?? false } }

    /// Clears the stage and ends the program when the person at the keyboard, or the system, interrupts it.
    /// For as long as what it returns is kept.
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

    /// Ends the daemon and removes the folder.
    func clear() {
        let daemon = daemon.withLock { $0 }
        daemon?.terminate()
        daemon?.wait()
        try? FileManager.default.removeItem(at: home)
    }
}
