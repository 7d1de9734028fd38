import Foundation
import Glibc
import LinuxSystem

/// Where Purvey keeps its sockets and its records, for one user.
///
/// `PURVEY_HOME` moves all of it, so that a test or a demonstration has a daemon of its own.
package struct Locations: Sendable, Equatable {
    /// The folder of sockets and locks. It lives as long as the user is logged in.
    package let runtime: String
    /// The folder of what is kept: registered bundles and containers.
    package let data: String
    /// The folder of what can be had again.
    package let cache: String
    /// The folder of the mounted domains.
    package let mounts: String
    /// The folder of the pictures that the programs of the desktop share.
    package let thumbnails: String
    /// The folder of what a person sets.
    package let configuration: String
    /// The user's home folder, which has to be there; `nil` where nothing depends on it.
    package let home: String?
    /// Sentences about what of the environment was not followed. A program prints them; a library does not.
    package let warnings: [String]
    /// The variables of the environment that these locations follow from, for a daemon that is started for them.
    private(set) package var variables: [String: String]?
    /// Where the daemon listens.
    package var socket: String

    /// What a daemon in the background writes.
    package var log: String { runtime + "/daemon.log" }
    /// Records of registered bundles, one property list each.
    package var bundles: String { data + "/bundles" }

    /// The names of programs that have nothing fetched.
    package var indexers: String { configuration + "/indexers" }

    /// The domains, a folder each.
    package var domains: String { data + "/domains" }
    /// Where the edits of removed domains are kept: beside the mounts, for a person to find.
    package var keptEdits: String { mounts + " Edits" }

    /// - Parameter cache: `nil` for a folder within that of the data, and so for those that follow.
    package init(
        runtime: String, data: String, cache: String? = nil, mounts: String? = nil, thumbnails: String? = nil,
        configuration: String? = nil, home: String? = nil, warnings: [String] = [], socket: String? = nil
    ) {
        self.runtime = runtime
        self.data = data
        self.cache = cache ?? data + "/cache"
        self.mounts = mounts ?? data + "/mounts"
        self.thumbnails = thumbnails ?? data + "/thumbnails"
        self.configuration = configuration ?? data + "/config"
        self.home = home
        self.warnings = warnings
        self.socket = socket ?? runtime + "/daemon.socket"
    }

    /// The locations that an environment asks for.
    ///
    /// - Parameter runtimeFault: what keeps a folder from being the user's runtime folder, as
    ///   ``RuntimeFolder/fault(of:)`` says it; a parameter so that tests need no folders.
    /// - Throws: ``ExchangeError/daemonUnavailable(_:)`` when `PURVEY_HOME` is not an absolute path: whoever sets it does
    ///   not want the user's own daemon.
    package init(
        environment: [String: String], user: uid_t, socket: String? = nil,
        runtimeFault: (String) -> String? = RuntimeFolder.fault
    ) throws(ExchangeError) {
        func absolute(_ name: String) -> String? {
            // The base directory specification: a relative path is invalid and is ignored.
            guard let path = environment[name], path.hasPrefix("/") else { return nil }
            return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        if let home = environment["PURVEY_HOME"], !home.isEmpty {
            guard let home = absolute("PURVEY_HOME") else {
                throw .daemonUnavailable("PURVEY_HOME is '\(home)', and has to be an absolute path")
            }
            self.init(
                runtime: home + "/run", data: home + "/data", cache: home + "/cache", mounts: home + "/mounts",
                thumbnails: home + "/thumbnails", configuration: home + "/config", socket: socket)
            variables = ["PURVEY_HOME": home]
            return
        }
        let (runtime, warning) = RuntimeFolder.choose(
            environment["XDG_RUNTIME_DIR"], user: user, fault: runtimeFault)
        let known = absolute("HOME") ?? Self.homeFolder(of: user)
        // A user without a home folder has one beside the sockets.
        let home = known ?? "/tmp/purvey-\(user)"
        var warnings = warning.map { [$0] } ?? []
        if let named = environment["HOME"], !named.isEmpty, !named.hasPrefix("/") {
            warnings.append("HOME is '\(named)', which is no absolute path: \(home) is used instead")
        }
        self.init(
            runtime: runtime, data: (absolute("XDG_DATA_HOME") ?? home + "/.local/share") + "/purvey",
            cache: (absolute("XDG_CACHE_HOME") ?? home + "/.cache") + "/purvey", mounts: home + "/Purvey",
            thumbnails: (absolute("XDG_CACHE_HOME") ?? home + "/.cache") + "/thumbnails",
            configuration: (absolute("XDG_CONFIG_HOME") ?? home + "/.config") + "/purvey", home: known,
            warnings: warnings, socket: socket)
        variables = environment.filter { Self.variableNames.contains($0.key) }
    }

    private static let variableNames = [
        "PURVEY_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME",
    ]

    /// The locations of this process.
    package static func current() throws(ExchangeError) -> Locations {
        var environment: [String: String] = [:]
        for name in variableNames { environment[name] = getenv(name).map { String(cString: $0) } }
        return try Locations(environment: environment, user: getuid())
    }

    /// Returns the environment of a daemon with these locations; `nil` where it is that of this process,
    /// as it is unless the process has changed its environment since.
    func environmentOfDaemon() -> [String]? {
        guard let variables else { return nil }
        // With that one, the others do not count.
        let names =
            variables["PURVEY_HOME"].map { $0.isEmpty ? Self.variableNames : ["PURVEY_HOME"] } ?? Self.variableNames
        if names.allSatisfy({ getenv($0).map { String(cString: $0) } == variables[$0] }) { return nil }
        var environment = ProcessInfo.processInfo.environment
        for name in names { environment[name] = variables[name] }
        return environment.map { "\($0.key)=\($0.value)" }
    }

    /// Returns the home folder that the user database has; `nil` where it does not know the user.
    private static func homeFolder(of user: uid_t) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir else {
            return nil
        }
        return String(cString: home)
    }
}
