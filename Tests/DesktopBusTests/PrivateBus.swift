import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// A test's own message bus, on which no service of the machine is activated.
final class PrivateBus: Sendable {
    private let folder: String
    private let program = Lock<RunningProgram?>(nil)

    var socket: String { folder + "/bus" }
    var address: String { "unix:path=" + socket }

    /// - Parameter folder: A directory with a path short enough for a socket in it.
    init(_ folder: String) throws {
        self.folder = folder
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: false, encoding: .utf8)
    }

    /// Starts the bus, and waits until it can be reached.
    func start() async throws {
        let started = try RunningProgram(
            "/usr/bin/dbus-daemon",
            ["--config-file=" + folder + "/bus.conf", "--nofork", "--nopidfile", "--print-address"])
        program.withLock { $0 = started }
        try #require(try await started.hasPrinted("unix:"))
    }

    func send(_ signal: CInt) { program.withLock { $0 }?.send(signal) }

    func end() async {
        send(SIGKILL)
        _ = try? await program.withLock { $0 }?.end()
    }

    func gdbus(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram("/usr/bin/gdbus", arguments, environment: ["DBUS_SESSION_BUS_ADDRESS": address])
    }
}
