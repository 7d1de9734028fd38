import Foundation
import Glibc
import LinuxSystem

/// A daemon of the benchmark's own, with a folder served by the provider "On This Machine" and mounted; ended with this object.
final class CloudFolder {
    /// Where the folder is mounted.
    let mount: String
    private let home: ScratchFolder
    private let daemon: Process

    /// The provider's name: of its folder in the sources, of its program, and as it is installed.
    private static let provider = "LocalFolder"

    init(over source: String) throws {
        home = try ScratchFolder()
        mount = home.path + "/mounts/measured"
        daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: try Child.sibling("purveyd"))
        daemon.arguments = ["--foreground", "--log", "error"]
        daemon.environment = environment
        try daemon.run()
        do {
            try awaitDaemon()
            try installProvider()
            _ = try purvey(["domains", "add", "org.purvey.\(Self.provider)", "measured", "path=\(source)"])
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// The daemon's process.
    var processIdentifier: pid_t { daemon.processIdentifier }

    /// Runs a command at this daemon, and returns what it printed.
    @discardableResult
    func purvey(_ arguments: [String]) throws -> String {
        try Child.output(ofProgram: Child.sibling("purvey"), arguments, environment: environment)
    }

    private var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["PURVEY_HOME": home.path]) { $1 }
    }

    private func awaitDaemon() throws {
        for _ in 0..<2_000 {
            if (try? FileStatus.of(home.path + "/run/daemon.socket", followingLinks: false)) != nil { return }
            guard daemon.isRunning else {
                throw MountFailure("the daemon ended with status \(daemon.terminationStatus)")
            }
            usleep(10_000)
        }
        throw MountFailure("the daemon did not start")
    }

    private func installProvider() throws {
        let bundle = home.path + "/\(Self.provider).appex"
        let plist = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Providers/\(Self.provider)/Info.plist")
        _ = try home.folder("\(Self.provider).appex")
        _ = try Child.output(ofProgram: "/bin/cp", [plist.path, bundle + "/Info.plist"])
        _ = try Child.output(ofProgram: "/bin/cp", [Child.sibling(Self.provider), bundle + "/\(Self.provider)"])
        try purvey(["extensions", "install", bundle])
    }

    private func end() {
        guard daemon.isRunning else { return }
        daemon.terminate()
        daemon.waitUntilExit()
    }
}

/// A folder seen through another file system in user space, unmounted with this object.
final class PeerMount {
    enum Kind: String, CaseIterable {
        case bindfs, rclone
    }

    let mount: String
    private let scratch: ScratchFolder
    private let server: Process

    /// - Throws: where the program is not installed, or does not mount.
    init(_ kind: Kind, over source: String) throws {
        guard
            let program = ["/usr/bin/", "/usr/local/bin/"].map({ $0 + kind.rawValue }).first(where: {
                access($0, X_OK) == 0
            })
        else { throw MountFailure("\(kind.rawValue) is not installed") }
        scratch = try ScratchFolder()
        mount = scratch.path + "/mount"
        _ = try scratch.folder("mount")
        server = Process()
        server.executableURL = URL(fileURLWithPath: program)
        server.arguments =
            switch kind {
            case .bindfs: ["-f", source, mount]
            // Its ways that are fastest once a file was read: whole files in its cache, folders remembered.
            case .rclone:
                [
                    "mount", source, mount, "--config", "/dev/null", "--vfs-cache-mode", "full", "--cache-dir",
                    scratch.path + "/cache", "--dir-cache-time", "1h", "--attr-timeout", "1h",
                ]
            }
        server.standardError = FileHandle.nullDevice
        try server.run()
        let outside = try FileStatus.of(scratch.path, followingLinks: false).identity.device
        for _ in 0..<2_000 {
            if let status = try? FileStatus.of(mount, followingLinks: false), status.identity.device != outside {
                return
            }
            guard server.isRunning else {
                throw MountFailure("\(kind.rawValue) ended with status \(server.terminationStatus)")
            }
            usleep(10_000)
        }
        throw MountFailure("\(kind.rawValue) did not mount")
    }

    deinit {
        _ = try? Child.output(ofProgram: "/bin/umount", [mount])
        if server.isRunning { server.terminate() }
        server.waitUntilExit()
    }
}

struct MountFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
