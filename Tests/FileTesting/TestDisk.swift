import Foundation
import LinuxSystem
import ProgramTesting

/// A file system for one test. It is mounted in the mount namespace of another process, and accessible through that
/// process's root. It is unmounted when that process ends, together with this object or with the test process.
package final class TestDisk {
    package enum Kind: String, Sendable {
        /// A file system in memory. Available to every user if user namespaces are permitted.
        case tmpfs
        /// A file system in memory, of any size, and without creation dates. Requires root.
        case ramfs
        /// File systems in an image on a loop device, which can share blocks between files. Require root.
        case xfs, btrfs
    }

    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// The root of the file system.
    package let descriptor: FileDescriptor
    /// The path of the root, which is valid while the file system exists.
    package var path: String { "/proc/\(keeper.processID)/root\(folder.path)/mount" }
    private let keeper: RunningProgram
    private let folder: TestFolder

    /// - Parameter megabytes: The size. An image only occupies the space that is written, and must be larger than 300
    ///   MB.
    /// - Throws: ``Unavailable`` if this user may not mount on the machine, or if the file system is not available.
    package init(_ kind: Kind, megabytes: Int) throws {
        folder = try TestFolder()
        try folder.folder("mount")
        let mount =
            switch kind {
            case .tmpfs: "mount -t tmpfs -o size=\(megabytes)m tmpfs mount"
            case .ramfs: "mount -t ramfs ramfs mount"
            case .xfs, .btrfs:
                "truncate -s \(megabytes)M image && mkfs.\(kind.rawValue) -q image >&2 && mount -o loop image mount"
            }
        let namespaces = geteuid() == 0 ? ["-m"] : ["-U", "-r", "-m"]
        keeper = try RunningProgram(
            "/usr/bin/env",
            ["PATH=/usr/sbin:/sbin:/usr/bin:/bin", "unshare"] + namespaces
                + ["sh", "-c", "cd '\(folder.path)' && \(mount) && chmod 700 mount && echo ready && exec cat"],
            input: .pipe)
        guard try keeper.waitForLine() == "ready" else {
            keeper.closeInput()
            throw Unavailable(description: "no \(kind) could be mounted: \(try keeper.waitForEnd().errors)")
        }
        descriptor = try .open(
            "/proc/\(keeper.processID)/root\(folder.path)/mount", [.readOnly, .directory])
    }

    deinit {
        keeper.closeInput()
        _ = try? keeper.waitForEnd()
    }

    /// Returns the names at the root, including hidden ones.
    package func names() throws -> [String] {
        try descriptor.open(".", [.readOnly, .directory]).entries().map(\.name.description).sorted()
    }

    /// Whether a test that needs this kind must run. If the kind is not available, the test runs only under CI, where
    /// it then fails.
    package static func isWanted(_ kind: Kind) -> Bool {
        Requirement.isEnforced || (try? TestDisk(kind, megabytes: 512)) != nil
    }
}

/// A requirement that a test has of the machine.
package enum Requirement {
    /// Whether every requirement must be met, as under CI. A test whose requirement is not met then runs and fails
    /// instead of being skipped.
    package static var isEnforced: Bool { ProcessInfo.processInfo.environment["CI"] != nil }

    /// Whether a test that needs a program must run.
    package static func isWanted(program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return isEnforced || folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}
