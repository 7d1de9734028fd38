import AppExtension
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Sandbox
import Testing

/// A folder with an extension made for a test, its library and containers. All of it is gone afterwards.
struct ExtensionPlace {
    let root: String
    var data: String { root + "/data" }
    var appex: String { root + "/Unruly.appex" }
    var library: ExtensionLibrary { ExtensionLibrary(data: data) }

    static func run<Result>(_ body: (ExtensionPlace) throws -> Result) throws -> Result {
        let place = try ExtensionPlace()
        defer { place.remove() }
        return try body(place)
    }

    /// For a test that is asynchronous; it removes the place itself.
    static func make() throws -> ExtensionPlace { try ExtensionPlace() }

    /// A removal that meets with what goes at the same time leaves the rest.
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

    /// The property list of an extension without faults.
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

    /// Writes the extension's folder.
    ///
    /// - Parameter product: the program that is its executable.
    func write(_ list: [String: Any] = Self.propertyList, product: String = "UnrulyExtension") throws {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: appex + "/Info.plist"))
        if (try? FileStatus.of(appex + "/Unruly")) == nil {
            let built = Bundle(for: Marker.self).bundleURL.deletingLastPathComponent()
            // By another process: a program that this one has open for writing could not be run while any of its forks has
            // it so.
            let program = try #require(Self.program(product, near: built))
            let copy = try ChildProgram.start("/bin/cp", arguments: [program, appex + "/Unruly"], descriptors: [])
                .wait()
            try #require(copy == .exited(0))
        }
    }

    /// The test program lies beside the test bundle, wherever the build put that.
    private static func program(_ product: String, near folder: URL) -> String? {
        let candidates = [folder, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent(product).path }.first { access($0, X_OK) == 0 }
    }

    /// Starts the extension.
    ///
    /// - Parameter hostLibraries: where the language's libraries lie that its host is linked with.
    func start(
        _ list: [String: Any] = Self.propertyList, product: String = "UnrulyExtension",
        hostLibraries: [String] = SwiftLibraries.ofThisProcess, layers: Layers = .wanted
    ) throws -> Unruly {
        try write(list, product: product)
        let bundle = try library.install(path: appex)
        let (ours, theirs) = try SequencedPacketSocket.pair()
        // Installing has copied the program in this process: a fork of another test at that moment has it open for writing, and
        // until it runs a program of its own nobody can run this one.
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
            run: try ExtensionRun(bundle, socket: theirs.descriptor, data: data, hostLibraries: hostLibraries, layers: layers),
            socket: ours.descriptor)
    }
}

private final class Marker {}

/// A running test extension.
struct Unruly {
    let run: ExtensionRun
    let socket: FileDescriptor

    /// Tells it to do something; the answer, or `nil` when it ended instead.
    func tell(_ deed: String) -> String? { Self.tell(deed, over: socket) }

    /// Tells the process at the other end of a socket.
    static func tell(_ deed: String, over socket: FileDescriptor) -> String? {
        order(deed, over: socket)
        var wait = pollfd(fd: socket.rawValue, events: CShort(POLLIN), revents: 0)
        guard poll(&wait, 1, 300_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(socket.rawValue, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Tells it to do something that it does not answer.
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
