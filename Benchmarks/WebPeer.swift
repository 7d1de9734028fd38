import Glibc
import LinuxSystem

/// The files of a web server, mounted by another program. When this object is released, the files are unmounted and all
/// processes of the program end.
final class WebPeer {
    enum Kind: String, CaseIterable {
        case rclone, davfs2, gvfs

        private var programs: [String] {
            switch self {
            case .rclone: ["/usr/bin/rclone"]
            case .davfs2: ["/usr/sbin/mount.davfs"]
            case .gvfs:
                ["/usr/bin/dbus-daemon", "/usr/bin/gio"]
                    + ["gvfsd", "gvfsd-dav", "gvfsd-fuse"].map { "/usr/libexec/" + $0 }
            }
        }

        private var packages: String {
            switch self {
            case .rclone, .davfs2: "package \(rawValue)"
            case .gvfs: "packages dbus-daemon, gvfs-backends, gvfs-fuse and libglib2.0-bin"
            }
        }

        /// A sentence about the first missing program; `nil` if all programs are installed.
        var absence: String? {
            programs.first { access($0, X_OK) != 0 }.map { "\($0) is not installed (Debian \(packages))" }
        }

        /// Whether the process's user can mount with the program. With `davfs2`, users other than root need an entry in
        /// /etc/fstab.
        var isPermitted: Bool { self != .davfs2 || getuid() == 0 }
    }

    /// The path of the server's files.
    let folder: String
    private let scratch: ScratchFolder
    private let leftover: ExitCleanup
    /// The program that runs in the foreground: `rclone`, or the bus of `gvfs`.
    private let companion: Companion?
    private let bus: pid_t?

    /// Mounts a server's files. The program starts with an empty cache.
    ///
    /// - Throws: an error if the program does not mount them.
    init(_ kind: Kind, of site: WebSite) throws {
        let scratch = try ScratchFolder()
        let path = scratch.path
        self.scratch = scratch
        let mount = path + "/mount"
        _ = try scratch.folder("mount")
        leftover = ExitCleanup { Self.end(path, mount: kind == .gvfs ? mount + "/gvfs" : mount) }
        switch kind {
        case .rclone:
            companion = try Self.startRclone(site, path)
            (bus, folder) = (nil, mount)
        case .davfs2:
            try Self.mountDavfs(site, scratch)
            (companion, bus, folder) = (nil, nil, mount)
        case .gvfs:
            let started = try Self.startGvfs(site, path)
            (companion, bus) = (started, started.processID)
            folder = mount + "/gvfs/dav:host=127.0.0.1,port=\(site.port),ssl=false"
        }
        for _ in 0..<2_000 where companion?.isRunning != false {
            if access(folder + "/large", F_OK) == 0 { return }
            usleep(10_000)
        }
        throw MeasurementError("\(kind.rawValue) did not mount")
    }

    deinit { leftover.remove() }

    /// Returns the sum of the peaks of the resident memory of the program's processes, in bytes. The session bus is
    /// left out, because every desktop runs one.
    func peakMemory() throws -> Int {
        let peaks = Self.processes(of: scratch.path).filter { $0.processID != bus }
            .map { try? Measure.peakResident(ofProcess: "\($0.processID)") }
        let sum = peaks.reduce(0) { $0 + ($1 ?? 0) }
        guard sum > 0 else { throw MeasurementError("the processes of the mount are not found") }
        return sum
    }

    // MARK: Programs

    private static func startRclone(_ site: WebSite, _ path: String) throws -> Companion {
        // With these settings, programs can also write files, as in the mount of a domain.
        try Companion(
            "/usr/bin/rclone",
            [
                "mount", ":webdav:", path + "/mount", "--webdav-url", site.address(""), "--webdav-vendor", "other",
                "--config", "/dev/null", "--vfs-cache-mode", "full", "--cache-dir", path + "/cache",
                "--dir-cache-time", "1h", "--attr-timeout", "1h",
            ])
    }

    /// Mounts with `davfs2`. The process of `davfs2` continues to run in the background.
    private static func mountDavfs(_ site: WebSite, _ scratch: ScratchFolder) throws {
        // Since Linux 6.16, directories cannot be listed with the default buffer. nginx claims class 2 of WebDAV only,
        // and davfs2 requires class 1.
        let settings = "ask_auth 0\nbuf_size 64\nignore_dav_header 1\n"
        try Array(settings.utf8).withUnsafeBytes { try scratch.file("settings").writeAll($0) }
        _ = try BenchmarkChild.output(
            ofProgram: "/usr/sbin/mount.davfs",
            [site.address(""), scratch.path + "/mount", "-o", "conf=\(scratch.path)/settings"])
    }

    /// Mounts with `gvfs`, which needs a session bus. Returns the bus, which starts `gvfsd`. `gvfsd` starts the other
    /// processes.
    private static func startGvfs(_ site: WebSite, _ path: String) throws -> Companion {
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/bus", "XDG_RUNTIME_DIR": path + "/mount", "HOME": path,
            "XDG_DATA_HOME": path + "/data", "XDG_CONFIG_HOME": path + "/config", "XDG_CACHE_HOME": path + "/cache",
            // Without this setting, gvfs would also start helpers for disks and phones.
            "GIO_USE_VOLUME_MONITOR": "unix",
        ]
        let bus = try Companion(
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--nosyslog", "--address=unix:path=\(path)/bus"],
            environment: environment)
        for _ in 0..<1_000 where bus.isRunning && access(path + "/bus", F_OK) != 0 { usleep(10_000) }
        _ = try BenchmarkChild.output(
            ofProgram: "/usr/bin/gio", ["mount", "dav://127.0.0.1:\(site.port)/"], environment: environment)
        return bus
    }

    // MARK: Processes

    /// Returns the processes that have the path of a peer's scratch directory in their command line or environment.
    private static func processes(of path: String) -> [ProcessDescriptor] {
        let words = Array(path.utf8)
        return Measure.processes.compactMap { number in
            guard let process = try? ProcessDescriptor.open(number) else { return nil }
            let isFound = ["cmdline", "environ"].contains { name in
                guard let file = try? FileDescriptor.open("/proc/\(number)/\(name)", [.readOnly]),
                    let text = try? file.readToEnd(limit: 1 << 20)
                else { return false }
                return text.contains(words)
            }
            return isFound && !process.hasEnded ? process : nil
        }
    }

    /// Unmounts the files, ends all processes of the program, and removes the cache of `davfs2`.
    private static func end(_ path: String, mount: String) {
        PeerMount.unmount(mount)
        for signal in [SIGTERM, SIGKILL] {
            let processes = processes(of: path)
            for process in processes { try? process.send(signal: signal) }
            for process in processes { _ = process.hasEnded(within: 10_000) }
        }
        // The name of the cache contains that of the mount point, with “-” for “/”.
        let name = path.split(separator: "/").last ?? ""
        guard let caches = try? FileDescriptor.open("/var/cache/davfs2", [.readOnly, .directory]) else { return }
        for entry in (try? caches.entries()) ?? [] where entry.name.description.contains(name) {
            try? TreeRemover.remove(entry.name, in: caches)
        }
    }
}
