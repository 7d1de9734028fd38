import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Sandbox
import Testing

/// A directory for one test with an extension, its library and containers. It is removed afterwards.
struct ExtensionFixture {
    let root: String
    var data: String { root + "/data" }
    var appex: String { root + "/Unruly.appex" }
    var library: ExtensionLibrary { ExtensionLibrary(data: data) }

    static func run<Result>(_ body: (ExtensionFixture) throws -> Result) throws -> Result {
        let place = try ExtensionFixture()
        defer { place.remove() }
        return try body(place)
    }

    /// Creates a fixture for an asynchronous test, which must remove it.
    static func make() throws -> ExtensionFixture { try ExtensionFixture() }

    /// Removes the directory. A removal that races with a process that is still writing leaves the rest, so it is
    /// repeated.
    func remove() {
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: root) {
            try? FileManager.default.removeItem(atPath: root)
        }
    }

    private init() throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        root = temporary + "/pve-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: root + "/Unruly.appex", withIntermediateDirectories: true)
    }

    /// The property list of a valid extension.
    static var propertyList: [String: Any] {
        [
            "CFBundleIdentifier": "org.example.unruly", "CFBundleName": "Unruly", "CFBundleExecutable": "Unruly",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.ui-services", "NSExtensionPrincipalClass": "Unruly",
                "NSExtensionAttributes": ["NSExtensionActivationRule": ["NSExtensionActivationSupportsText": true]],
                ExtensionBundle.timeKey: 600, ExtensionBundle.memoryKey: 128,
            ] as [String: Any],
        ]
    }

    /// Writes the extension's bundle.
    ///
    /// - Parameter product: The program to use as its executable.
    func write(_ list: [String: Any] = Self.propertyList, product: String = "UnrulyExtension") throws {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: appex + "/Info.plist"))
        if (try? FileStatus.of(appex + "/Unruly")) == nil {
            // Another process copies the program. If this one did, a fork might inherit the copy's descriptor open
            // for writing, and executing the copy would fail.
            let program = try BuiltProgram.path(product)
            let copy = try ChildProgram.start("/bin/cp", arguments: [program, appex + "/Unruly"], descriptors: [])
                .wait()
            try #require(copy == .exited(0))
        }
    }

    /// Starts the extension.
    ///
    /// - Parameter hostLibraries: The directories of the Swift libraries that its host is linked with.
    func start(
        _ list: [String: Any] = Self.propertyList, product: String = "UnrulyExtension",
        hostLibraries: [String] = SwiftLibraries.ofThisProcess, layers: Layers = .wanted
    ) throws -> Unruly {
        try write(list, product: product)
        let bundle = try library.install(path: appex)
        let (ours, theirs) = try SequencedPacketSocket.pair()
        // Installing copied the program in this process. A fork of another test at that moment has it open for
        // writing, and until that fork executes a program, the copy cannot be executed.
        for _ in 0..<5_000 {
            do {
                return Unruly(
                    run: try ExtensionRun(
                        bundle, socket: theirs.descriptor, data: data, hostLibraries: hostLibraries, layers: layers),
                    socket: ours.descriptor)
            } catch  where "\(error)".contains("Text file busy") {
                usleep(20_000)
            }
        }
        return Unruly(
            run: try ExtensionRun(
                bundle, socket: theirs.descriptor, data: data, hostLibraries: hostLibraries, layers: layers),
            socket: ours.descriptor)
    }
}

/// A running test extension.
struct Unruly {
    let run: ExtensionRun
    let socket: FileDescriptor

    /// Sends a command and returns the reply, or `nil` if the extension ended instead.
    func tell(_ deed: String) -> String? { Self.tell(deed, over: socket) }

    /// Sends a command to the process at the other end of a socket.
    static func tell(_ deed: String, over socket: FileDescriptor) -> String? {
        order(deed, over: socket)
        var wait = pollfd(fd: socket.rawValue, events: CShort(POLLIN), revents: 0)
        guard poll(&wait, 1, 300_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(socket.rawValue, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Sends a command that gets no reply.
    func order(_ deed: String) { Self.order(deed, over: socket) }

    private static func order(_ deed: String, over socket: FileDescriptor) {
        let bytes = Array(deed.utf8)
        _ = send(socket.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    func end() {
        run.release()
        _ = run.waitForEnd()
    }
}
