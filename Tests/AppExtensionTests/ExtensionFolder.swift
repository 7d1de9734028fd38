import Foundation
import Glibc
import LinuxSystem

/// A temporary extension bundle for a test, with a copy of the program ExtensionPeer as its executable.
final class ExtensionFolder {
    let path: String

    init(_ change: (inout [String: Any]) -> Void = { _ in }) throws {
        path = NSTemporaryDirectory() + "/" + UUID().uuidString + ".appex"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var information: [String: Any] = [
            "CFBundleIdentifier": "com.example.peer", "CFBundleName": "Peer", "CFBundleExecutable": "ExtensionPeer",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.ui-services",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).Principal",
                "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
            ] as [String: Any],
        ]
        change(&information)
        let list = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
        try list.write(to: URL(fileURLWithPath: path + "/Info.plist"))
        try FileManager.default.linkItem(atPath: Self.program, toPath: path + "/ExtensionPeer")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the program ExtensionPeer, which is built beside the tests.
    static var program: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = (own as NSString).deletingLastPathComponent + "/ExtensionPeer"
        if access(beside, X_OK) == 0 { return beside }
        // The tests may be a library that the package manager's own program loads.
        let arguments = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return (arguments as NSString).deletingLastPathComponent + "/ExtensionPeer"
    }

    /// Starts the extension's program with a socket as its descriptor 3.
    func start() throws -> (program: ChildProgram, socket: FileDescriptor) {
        let (near, far) = try SequencedPacketSocket.pair()
        let errors = try FileDescriptor.open("/dev/null", .writeOnly)
        // The toolchain's backtraces come from a helper process. It would keep the socket of a crashed process open.
        let environment = ["PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no", "TMPDIR=" + NSTemporaryDirectory()]
        let program = try ChildProgram.start(
            path + "/ExtensionPeer", arguments: [], environment: environment,
            descriptors: [nil, errors, errors, far.descriptor])
        return (program, near.descriptor)
    }
}
