import Foundation
import Glibc
import LinuxSystem

/// A separate daemon with a mounted domain, by default of the provider "On This Machine". The daemon ends when this
/// object is released.
final class CloudFolder {
    /// The path of the mount.
    let mount: String
    /// The thumbnail cache that this daemon uses instead of the desktop's.
    var thumbnails: String { home.path + "/thumbnails" }
    /// The variables with which a program uses this daemon.
    let environment: [String: String]
    private let home: ScratchFolder
    private let daemon: Companion

    /// The name of the default provider's directory in the sources, and of its program.
    private static let local = "LocalFolder"
    /// The identifier of the default provider.
    static let providerIdentifier = "org.purvey.\(local)"

    /// Mounts a folder of this machine.
    ///
    /// - Parameter environment: further variables of the daemon.
    convenience init(over source: String, environment: [String: String] = [:]) throws {
        try self.init(
            of: Self.local, [Self.providerIdentifier, "measured", "path=\(source)"], environment: environment)
    }

    /// Mounts a domain.
    ///
    /// - Parameters:
    ///   - provider: the name of the provider's directory in the sources, and of its program.
    ///   - domain: the arguments of `purvey domains add`, with the name `measured`.
    ///   - environment: further variables of the daemon.
    init(of provider: String, _ domain: [String], environment: [String: String] = [:]) throws {
        let home = try ScratchFolder()
        let mount = home.path + "/mounts/measured"
        (self.home, self.mount) = (home, mount)
        self.environment = ["PURVEY_HOME": home.path, "PURVEY_BUS": "none"].merging(environment) { $1 }
        daemon = try Companion(
            try BenchmarkChild.sibling("purveyd"), ["--foreground", "--log", "error"],
            environment: self.environment, errors: .copy(of: STDERR_FILENO)
        ) { PeerMount.unmount(mount) }
        do {
            try awaitDaemon()
            try purvey(["extensions", "install", Self.makeBundle(of: provider, in: home)])
            try purvey(["domains", "add"] + domain)
        } catch {
            daemon.end()
            throw error
        }
    }

    deinit { daemon.end() }

    /// The PID of the daemon.
    private var processIdentifier: pid_t { daemon.processID }

    /// The PIDs of the processes that the daemon has started, its providers among them.
    private var startedProcesses: [pid_t] {
        Measure.processes.filter { process in
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").contains("PPid:\t\(processIdentifier)")
        }
    }

    /// Returns the sum of the peaks of the resident memory of the daemon and its providers, in bytes.
    func peakMemory() throws -> Int {
        try ([processIdentifier] + startedProcesses).map { try Measure.peakResident(ofProcess: "\($0)") }.reduce(0, +)
    }

    /// Waits until the daemon and its providers use almost no processor time for a second: background work, such as the
    /// search index of new items, has ended.
    func waitUntilIdle() throws {
        var before = try processorSeconds()
        for _ in 0..<300 {
            sleep(1)
            let now = try processorSeconds()
            if now - before < 0.03 { return }
            before = now
        }
        throw MeasurementError("the daemon is busy for five minutes without a request")
    }

    private func processorSeconds() throws -> Double {
        try ([processIdentifier] + startedProcesses).map { try Measure.processorSeconds(ofProcess: "\($0)") }
            .reduce(0, +)
    }

    /// Runs a command with this daemon, and returns its output.
    @discardableResult
    func purvey(_ arguments: [String]) throws -> String {
        try BenchmarkChild.output(
            ofProgram: BenchmarkChild.sibling("purvey"), arguments, environment: environment)
    }

    /// Returns the path of the mount of another domain of this daemon.
    func mount(of domain: String) -> String { home.path + "/mounts/" + domain }

    private func awaitDaemon() throws {
        for _ in 0..<2_000 {
            if (try? FileStatus.of(home.path + "/run/daemon.socket", followingLinks: false)) != nil { return }
            guard daemon.isRunning else { throw MeasurementError("the daemon has ended") }
            usleep(10_000)
        }
        throw MeasurementError("the daemon did not start")
    }

    /// Creates a provider's bundle in a directory, and returns its path.
    static func makeBundle(of provider: String = local, in home: ScratchFolder) throws -> String {
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
