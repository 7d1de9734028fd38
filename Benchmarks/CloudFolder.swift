import Foundation
import Glibc
import LinuxSystem

/// A separate daemon with a mounted domain of the provider "On This Machine". It ends with this object.
final class CloudFolder {
    /// The path of the mount.
    let mount: String
    /// The desktop's cache of thumbnails, as this daemon uses it.
    var thumbnails: String { home.path + "/thumbnails" }
    private let home: ScratchFolder
    private let daemon: Companion

    /// The name of the provider's directory in the sources, and of its program.
    private static let provider = "LocalFolder"
    /// The identifier of the installed provider.
    static let providerIdentifier = "org.purvey.\(provider)"

    init(over source: String) throws {
        let home = try ScratchFolder()
        let mount = home.path + "/mounts/measured"
        (self.home, self.mount) = (home, mount)
        daemon = try Companion(
            try BenchmarkChild.sibling("purveyd"), ["--foreground", "--log", "error"],
            environment: Self.environment(home.path), errors: .copy(of: STDERR_FILENO)
        ) { PeerMount.unmount(mount) }
        do {
            try awaitDaemon()
            try installProvider()
            _ = try purvey(["domains", "add", Self.providerIdentifier, "measured", "path=\(source)"])
        } catch {
            daemon.end()
            throw error
        }
    }

    deinit { daemon.end() }

    /// The PID of the daemon.
    var processIdentifier: pid_t { daemon.processID }

    /// Runs a command with this daemon, and returns its output.
    @discardableResult
    func purvey(_ arguments: [String]) throws -> String {
        try BenchmarkChild.output(
            ofProgram: BenchmarkChild.sibling("purvey"), arguments, environment: Self.environment(home.path))
    }

    private static func environment(_ home: String) -> [String: String] { ["PURVEY_HOME": home, "PURVEY_BUS": "none"] }

    private func awaitDaemon() throws {
        for _ in 0..<2_000 {
            if (try? FileStatus.of(home.path + "/run/daemon.socket", followingLinks: false)) != nil { return }
            guard daemon.isRunning else { throw MeasurementError("the daemon has ended") }
            usleep(10_000)
        }
        throw MeasurementError("the daemon did not start")
    }

    private func installProvider() throws { try purvey(["extensions", "install", Self.makeBundle(in: home)]) }

    /// Creates the provider's bundle in a directory, and returns its path.
    static func makeBundle(in home: ScratchFolder) throws -> String {
        let bundle = home.path + "/\(provider).appex"
        let plist = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../Providers/\(provider)/Info.plist")
        _ = try home.folder("\(provider).appex")
        _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [plist.path, bundle + "/Info.plist"])
        _ = try BenchmarkChild.output(
            ofProgram: "/bin/cp", [BenchmarkChild.sibling(provider), bundle + "/\(provider)"])
        return bundle
    }
}
