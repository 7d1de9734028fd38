import Foundation
import Glibc
import LinuxSystem

/// A daemon of the benchmark's own, with a folder served by the provider "On This Machine" and mounted; ended with this object.
final class CloudFolder {
    /// Where the folder is mounted.
    let mount: String
    private let home: ScratchFolder
    private let daemon: Companion

    /// The provider's name: of its folder in the sources, of its program, and as it is installed.
    private static let provider = "LocalFolder"

    init(over source: String) throws {
        let home = try ScratchFolder()
        let mount = home.path + "/mounts/measured"
        (self.home, self.mount) = (home, mount)
        daemon = try Companion(
            try Child.sibling("purveyd"), ["--foreground", "--log", "error"],
            environment: Self.environment(home.path), errors: Companion.errors
        ) { PeerMount.unmount(mount) }
        do {
            try awaitDaemon()
            try installProvider()
            _ = try purvey(["domains", "add", "org.purvey.\(Self.provider)", "measured", "path=\(source)"])
        } catch {
            daemon.end()
            throw error
        }
    }

    deinit { daemon.end() }

    /// The daemon's process.
    var processIdentifier: pid_t { daemon.processID }

    /// Runs a command at this daemon, and returns what it printed.
    @discardableResult
    func purvey(_ arguments: [String]) throws -> String {
        try Child.output(ofProgram: Child.sibling("purvey"), arguments, environment: Self.environment(home.path))
    }

    private static func environment(_ home: String) -> [String: String] { ["PURVEY_HOME": home] }

    private func awaitDaemon() throws {
        for _ in 0..<2_000 {
            if (try? FileStatus.of(home.path + "/run/daemon.socket", followingLinks: false)) != nil { return }
            guard daemon.isRunning else { throw MountFailure("the daemon has ended") }
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
}
