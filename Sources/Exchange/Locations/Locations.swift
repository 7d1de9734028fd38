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
        configuration: String? = nil, socket: String? = nil
    ) {
        self.runtime = runtime
        self.data = data
        self.cache = cache ?? data + "/cache"
        self.mounts = mounts ?? data + "/mounts"
        self.thumbnails = thumbnails ?? data + "/thumbnails"
        self.configuration = configuration ?? data + "/config"
        self.socket = socket ?? runtime + "/daemon.socket"
    }

    /// The locations that an environment asks for.
    ///
    /// - Parameter isOurs: whether a folder exists and belongs to the user; a parameter so that tests need no folders.
    /// - Throws: ``ExchangeError/daemonUnavailable(_:)`` when `PURVEY_HOME` is not an absolute path: whoever sets it does
    ///   not want the user's own daemon.
    package init(
        environment: [String: String], user: uid_t, socket: String? = nil,
        isOurs: (String) -> Bool = Locations.isOwnFolder
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
            return
        }
        let runtime: String
        if let folder = absolute("XDG_RUNTIME_DIR") {
            runtime = folder + "/purvey"
        } else if isOurs("/run/user/\(user)") {
            runtime = "/run/user/\(user)/purvey"
        } else {
            runtime = "/tmp/purvey-\(user)"
        }
        let home = absolute("HOME") ?? Self.homeFolder(of: user)
        self.init(
            runtime: runtime, data: (absolute("XDG_DATA_HOME") ?? home + "/.local/share") + "/purvey",
            cache: (absolute("XDG_CACHE_HOME") ?? home + "/.cache") + "/purvey", mounts: home + "/Purvey",
            thumbnails: (absolute("XDG_CACHE_HOME") ?? home + "/.cache") + "/thumbnails",
            configuration: (absolute("XDG_CONFIG_HOME") ?? home + "/.config") + "/purvey", socket: socket)
    }

    /// The locations of this process.
    package static func current() throws(ExchangeError) -> Locations {
        var environment: [String: String] = [:]
        for name in ["PURVEY_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return try Locations(environment: environment, user: getuid())
    }

    /// Whether a path is a folder of this user, not a link to one.
    package static func isOwnFolder(_ path: String) -> Bool {
        guard let status = try? FileStatus.of(path, followingLinks: false) else { return false }
        return status.kind == .directory && status.owner == getuid()
    }

    private static func homeFolder(of user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir else {
            return "/tmp/purvey-\(user)"
        }
        return String(cString: home)
    }
}
