import Glibc
import LinuxSystem

/// A directory mounted through another user-space file system. It is unmounted when this object is released.
final class PeerMount {
    enum Kind: String, CaseIterable {
        case bindfs, rclone

        /// The path of the program, if it is installed.
        var program: String? {
            ["/usr/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first { access($0, X_OK) == 0 }
        }
    }

    let mount: String
    private let scratch: ScratchFolder
    private let server: Companion

    /// Mounts a directory.
    ///
    /// - Throws: an error if the program does not mount it.
    private init(_ kind: Kind, _ program: String, over source: String) throws {
        scratch = try ScratchFolder()
        mount = scratch.path + "/mount"
        _ = try scratch.folder("mount")
        let mount = mount
        let arguments: [String] =
            switch kind {
            case .bindfs: ["-f", source, mount]
            // The fastest settings for files that were read before: the cache contains whole files and directories.
            case .rclone:
                [
                    "mount", source, mount, "--config", "/dev/null", "--vfs-cache-mode", "full", "--cache-dir",
                    scratch.path + "/cache", "--dir-cache-time", "1h", "--attr-timeout", "1h",
                ]
            }
        // Both unmount on SIGTERM, unless the mount is in use.
        server = try Companion(program, arguments) { Self.unmount(mount) }
        let outside = try FileStatus.of(scratch.path, followingLinks: false).identity.device
        for _ in 0..<2_000 {
            if let status = try? FileStatus.of(mount, followingLinks: false), status.identity.device != outside {
                return
            }
            guard server.isRunning else { throw MeasurementError("\(kind.rawValue) has ended") }
            usleep(10_000)
        }
        throw MeasurementError("\(kind.rawValue) did not mount")
    }

    deinit { server.end() }

    /// Unmounts a path, even if it is in use or its server has ended.
    static func unmount(_ path: String) {
        // This call works as root. Other users need the setuid program.
        guard umount2(path, CInt(MNT_DETACH)) != 0, errno == EPERM else { return }
        _ = try? BenchmarkChild.output(ofProgram: "/usr/bin/fusermount3", ["-u", "-z", path])
    }

    /// Measures against each installed peer. Reports the others as missing.
    static func each(
        over source: String, _ report: inout Report, _ body: (Rival, inout Report) throws -> Void
    ) rethrows {
        for kind in Kind.allCases {
            guard let program = kind.program else {
                report.miss(kind.rawValue, because: "it is not installed (Debian package \(kind.rawValue))")
                continue
            }
            let peer: PeerMount
            do {
                peer = try PeerMount(kind, program, over: source)
            } catch {
                report.fail(kind.rawValue, because: "\(error)")
                continue
            }
            try withExtendedLifetime(peer) { try body(Rival(name: kind.rawValue, folder: peer.mount), &report) }
        }
    }
}

/// Another view of a directory to compare with, and its name in the report.
struct Rival {
    let name: String
    let folder: String
    /// Whether the view is the directory on the disk itself.
    var isNative = false
    /// The name of the directory on the disk itself.
    static let nativeName = "the disk itself"

    /// Measures against the disk first, and then against each of the peers.
    static func each(
        over source: String, _ report: inout Report, _ body: (Rival, inout Report) throws -> Void
    ) rethrows {
        try body(Rival(name: nativeName, folder: source, isNative: true), &report)
        try PeerMount.each(over: source, &report, body)
    }
}

struct MeasurementError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
