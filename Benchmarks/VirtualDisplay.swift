import Foundation
import Glibc
import LinuxSystem

/// An X server that draws into a file, with a session bus for its programs. Both end when this object is released.
///
/// Its programs do not use OpenGL. Without a graphics processor, the compiler of Mesa's renderer alone needs 60 MB.
final class VirtualDisplay {
    /// The variables with which a program uses the display and the bus, and has its own empty configuration.
    let environment: [String: String]
    private let folder: ScratchFolder
    private let server: Companion
    private let bus: Companion
    private let pixels: Mapping

    init() throws {
        let folder = try ScratchFolder()
        let (server, number) = try Self.start(
            "/usr/bin/Xvfb",
            [
                "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset", "-nocursor", "-fbdir",
                folder.path,
            ])
        let (bus, address) = try Self.start(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address"])
        environment = [
            "DISPLAY": ":\(number)", "WAYLAND_DISPLAY": "", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
            "DBUS_SESSION_BUS_ADDRESS": address, "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local",
            "GTK_A11Y": "none", "GDK_DEBUG": "gl-disable", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path, "XDG_DATA_HOME": folder.path,
        ]
        let file = try FileDescriptor.open(folder.path + "/Xvfb_screen0", [.readOnly])
        pixels = try Mapping(file, size: file.status().size)
        (self.folder, self.server, self.bus) = (folder, server, bus)
    }

    /// Starts a server, and returns it with the line that it prints when it is ready.
    private static func start(_ path: String, _ arguments: [String]) throws -> (Companion, line: String) {
        let (reading, writing) = try FileDescriptor.pipe()
        let server = try Companion(path, arguments, output: writing)
        var line: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            while try reading.read(into: byte) == 1, byte[0] != UInt8(ascii: "\n") { line.append(byte[0]) }
        }
        guard !line.isEmpty else { throw MeasurementError("\(path) did not start") }
        return (server, String(decoding: line, as: UTF8.self))
    }

    /// A number that almost always differs if the picture on the display does.
    private var picture: UInt64 {
        let words = pixels.bytes.bindMemory(to: UInt64.self)
        // Every third pair of pixels is enough to notice the text of a row.
        return stride(from: 0, to: words.count, by: 3).reduce(0xCBF2_9CE4_8422_2325) { hash, index in
            (hash ^ words[index]) &* 0x0000_0100_0000_01B3
        }
    }

    /// The duration without a change after which a window counts as complete.
    private static let quietPeriod: Duration = .seconds(1)
    private static let timeLimit: Duration = .seconds(60)

    /// Starts a program, and waits until its window no longer changes. The program ends afterwards.
    ///
    /// - Returns: the seconds from the program's start until its window was complete, and its peak resident bytes.
    func timeOfWindow(
        _ program: String, _ arguments: [String], environment more: [String: String]
    ) throws -> (seconds: Double, peak: Int) {
        var last = picture
        let start = ContinuousClock.now
        let process = try Companion(program, arguments, environment: environment.merging(more) { $1 })
        var change: ContinuousClock.Instant?
        while change.map({ .now - $0 < Self.quietPeriod }) ?? true {
            usleep(2_000)
            let current = picture
            if current != last { (last, change) = (current, .now) }
            guard process.isRunning, .now - start < Self.timeLimit else {
                throw MeasurementError("\(program) shows no window")
            }
        }
        let peak = try Measure.peakResident(ofProcess: "\(process.processID)")
        process.end()
        guard let change else { throw MeasurementError("\(program) shows no window") }
        return ((change - start) / .seconds(1), peak)
    }
}
