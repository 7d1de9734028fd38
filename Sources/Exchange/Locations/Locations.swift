import Foundation
import Glibc
import LinuxSystem

/// The paths of Purvey's sockets and data for one user.
///
/// If `PURVEY_HOME` is set, all paths are in that directory, so that a test or a demonstration has a separate daemon.
package struct Locations: Sendable, Equatable {
    /// The directory of sockets and locks. It is removed when the user logs out.
    package let runtime: String
    /// The directory of permanent data: registered bundles and containers.
    package let data: String
    /// The directory of cached data, which can be fetched again.
    package let cache: String
    /// The directory of the mounted domains.
    package let mounts: String
    /// The directory of thumbnails, which all programs of the desktop share.
    package let thumbnails: String
    /// The directory of the user's settings.
    package let configuration: String
    /// The user's home directory, which must exist; `nil` if none of the locations depends on it.
    package let home: String?
    /// Warnings about environment variables that were ignored, as sentences. Programs print the sentences; libraries do
    /// not.
    package let warnings: [String]
    /// The environment variables from which these locations were computed. A daemon for these locations is started with
    /// them. `nil` if the locations were not computed from an environment.
    private(set) package var variables: [String: String]?
    /// The path of the daemon's socket.
    package var socket: String

    /// The path of the log file of a daemon that runs in the background.
    package var log: String { runtime + "/daemon.log" }
    /// The directory of bundle records, with one property list for each bundle.
    package var bundles: String { data + "/bundles" }

    /// The path of the file with the names of programs that must not cause files to be fetched.
    package var indexers: String { configuration + "/indexers" }

    /// The directory that contains one directory for each domain.
    package var domains: String { data + "/domains" }
    /// The directory for edits that were not uploaded before their domain was removed. It is beside the mounts, where
    /// the user can find it.
    package var keptEdits: String { mounts + " Edits" }

    /// Creates locations.
    ///
    /// - Parameter cache: The cache directory. If it is `nil`, a directory within the data directory is used. The same
    ///   applies to `mounts`, `thumbnails` and `configuration`.
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

    /// Creates the locations that the given environment variables determine.
    ///
    /// - Parameter runtimeFault: Returns the reason why a directory cannot be the user's runtime directory, as
    ///   ``RuntimeFolder/fault(of:)`` does. Tests pass another function, so that they need no directories.
    /// - Throws: ``ExchangeError/daemonUnavailable(_:)`` if `PURVEY_HOME` is set to a relative path. A user who sets
    ///   this variable does not want the default daemon.
    package init(
        environment: [String: String], user: uid_t, socket: String? = nil,
        runtimeFault: (String) -> String? = RuntimeFolder.fault
    ) throws(ExchangeError) {
        func absolute(_ name: String) -> String? {
            // Per the XDG base directory specification, a relative path is invalid and ignored.
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
        // Without a home directory, the data is in the directory that is also the fallback for the sockets.
        let home = known ?? "/tmp/purvey-\(user)"
        var warnings = warning.map { [$0] } ?? []
        if let named = environment["HOME"], !named.isEmpty, !named.hasPrefix("/") {
            warnings.append("HOME is '\(named)', which is not an absolute path: \(home) is used instead")
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

    /// Returns the locations for this process.
    package static func current() throws(ExchangeError) -> Locations {
        var environment: [String: String] = [:]
        for name in variableNames { environment[name] = getenv(name).map { String(cString: $0) } }
        return try Locations(environment: environment, user: getuid())
    }

    /// Returns the environment variables for a daemon with these locations; `nil` if the environment of this process
    /// can be used. It cannot be used if this process has changed its environment since the locations were computed.
    func environmentOfDaemon() -> [String]? {
        guard let variables else { return nil }
        // If `PURVEY_HOME` is set, the others have no effect.
        let names =
            variables["PURVEY_HOME"].map { $0.isEmpty ? Self.variableNames : ["PURVEY_HOME"] } ?? Self.variableNames
        if names.allSatisfy({ getenv($0).map { String(cString: $0) } == variables[$0] }) { return nil }
        var environment = ProcessInfo.processInfo.environment
        for name in names { environment[name] = variables[name] }
        return environment.map { "\($0.key)=\($0.value)" }
    }

    /// Returns the user's home directory according to the user database; `nil` if the database does not contain the
    /// user.
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
