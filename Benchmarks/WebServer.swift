import Glibc
import HTTPTransport
import LinuxSystem

/// An nginx on 127.0.0.1 that serves a large file and small ones, and accepts uploads. It ends when this object is
/// released.
final class WebServer {
    static let program = "/usr/sbin/nginx"
    static let curl = "/usr/bin/curl"
    private static let extensionModule = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
    /// The size of a small file, in bytes.
    static let smallSize = 4096

    let site: WebSite
    let largePath: String
    /// Whether the server has the module for listings and locks.
    let speaksWebDAV = access(extensionModule, R_OK) == 0
    private let companion: Companion
    private let scratch: ScratchFolder

    init(largeSize: Int, smallFiles: Int) throws {
        let scratch = try ScratchFolder()
        let path = scratch.path
        let files = try scratch.folder("files")
        _ = try scratch.folder("bodies")
        var noise = IncompressibleBytes()
        let large = try files.open("large", [.readWrite, .create, .exclusive], permissions: 0o644)
        try noise.write(largeSize, to: large)
        try Self.setOlderDate(large)
        try Self.addSmallFiles("small", count: smallFiles, in: files, &noise)
        let port = try Self.freePort()
        site = WebSite(port: port)
        largePath = path + "/files/large"
        let (module, methods, zone) =
            speaksWebDAV
            ? (
                "load_module \(Self.extensionModule);",
                "dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK; "
                    + "dav_ext_lock zone=locks;",
                "dav_ext_lock_zone zone=locks:10m;"
            ) : ("", "dav_methods PUT;", "")
        // nginx runs as a single process, because workers would outlive it. It must be able to read the files of the
        // user who runs the benchmark.
        let user = getuid() == 0 ? "user root;" : ""
        let settings = """
            \(module) \(user)
            daemon off; master_process off; pid \(path)/pid; error_log \(path)/errors;
            events { worker_connections 256; }
            http {
                access_log off; sendfile on; keepalive_requests 1000000; client_max_body_size 2g;
                client_body_temp_path \(path)/bodies; proxy_temp_path \(path)/bodies/p;
                fastcgi_temp_path \(path)/bodies/f; uwsgi_temp_path \(path)/bodies/u; scgi_temp_path \(path)/bodies/s;
                server { listen 127.0.0.1:\(port); root \(path)/files; \(methods) }
                \(zone)
            }
            """
        try Array(settings.utf8).withUnsafeBytes { try scratch.file("settings").writeAll($0) }
        let arguments = ["-p", path, "-c", path + "/settings", "-e", path + "/errors"]
        companion = try Companion(Self.program, arguments)
        self.scratch = scratch
        for _ in 0..<1_000 where companion.isRunning {
            if Self.isListening(on: port) { return }
            usleep(10_000)
        }
        throw MeasurementError("nginx does not answer")
    }

    deinit { companion.end() }

    /// Adds a directory with files of ``smallSize``, which are named after their numbers.
    func addSmallFiles(_ name: String, count: Int) throws {
        var noise = IncompressibleBytes()
        try Self.addSmallFiles(
            name, count: count, in: scratch.descriptor.open("files", [.readOnly, .directory]), &noise)
    }

    private static func addSmallFiles(
        _ name: String, count: Int, in files: FileDescriptor, _ noise: inout IncompressibleBytes
    ) throws {
        try retrying { mkdirat(files.rawValue, name, 0o755) }
        let folder = try files.open(name, [.readOnly, .directory])
        for number in 0..<count {
            let file = try folder.open("\(number)", [.readWrite, .create, .exclusive], permissions: 0o644)
            try noise.write(smallSize, to: file)
            try setOlderDate(file)
        }
    }

    /// Gives a file an older date. The contents of a file with a recent date may still change without a change of the
    /// date.
    private static func setOlderDate(_ file: FileDescriptor) throws {
        let date = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
        try [date, date].withUnsafeBufferPointer { dates in
            _ = try retrying { futimens(file.rawValue, dates.baseAddress) }
        }
    }

    /// Adds a directory with empty files.
    func addFolder(_ name: String, entries: Int) throws {
        let path = scratch.path + "/files/" + name
        try retrying { mkdir(path, 0o755) }
        let folder = try FileDescriptor.open(path, [.readOnly, .directory])
        for number in 0..<entries {
            _ = try folder.open(
                "an entry with a name of usual length \(number)", [.writeOnly, .create, .exclusive], permissions: 0o644)
        }
    }

    /// Waits until the server's file has the given size, or until no such file exists if `size` is `nil`.
    func wait(for name: String, size: Int?) throws {
        let path = scratch.path + "/files/" + name
        for _ in 0..<120_000 {
            if (try? FileStatus.of(path, followingLinks: false))?.size == size { return }
            usleep(5_000)
        }
        throw MeasurementError("“\(name)” does not get to the server")
    }

    // MARK: curl

    /// Runs `curl` without the user's settings, and without proxies.
    @discardableResult
    static func curl(_ arguments: [String]) throws -> String {
        try BenchmarkChild.output(
            ofProgram: curl,
            ["--disable", "--silent", "--no-progress-meter", "--show-error", "--fail", "--noproxy", "*"] + arguments)
    }

    /// Returns the seconds until the first byte of a file, as `curl` measures them.
    static func secondsToFirstByte(of address: String) throws -> Double {
        let words = try curl([
            "--output", "/dev/null", "--range", "0-0", "--write-out", "%{time_starttransfer}", address,
        ])
        guard let time = Double(words) else { throw MeasurementError("curl printed \(words)") }
        return time
    }

    // MARK: Ports

    private static func withSocket<Value>(
        port: Int, _ body: (CInt, UnsafeMutablePointer<sockaddr>, socklen_t) throws -> Value
    ) throws -> Value {
        let descriptor = FileDescriptor(
            owning: try retrying { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return try withExtendedLifetime(descriptor) {
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    try body(descriptor.rawValue, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    /// Returns a port that no program listens on now.
    private static func freePort() throws -> Int {
        try withSocket(port: 0) { descriptor, address, size in
            try retrying { bind(descriptor, address, size) }
            var size = size
            try retrying { getsockname(descriptor, address, &size) }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }

    private static func isListening(on port: Int) -> Bool {
        (try? withSocket(port: port) { descriptor, address, size in
            try retrying { connect(descriptor, address, size) }
        }) != nil
    }
}

/// The address of a server on this machine, and clients for it.
struct WebSite: Sendable {
    let port: Int

    func address(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    func request(_ method: HTTPMethod, _ name: String) throws -> HTTPRequest {
        HTTPRequest(method, try HTTPAddress(address(name)))
    }

    /// Returns a client with the default settings, but without proxies and repetitions.
    func client() throws -> HTTPClient {
        var configuration = HTTPConfiguration()
        configuration.proxies = HTTPProxies()
        configuration.retry = .never
        return try HTTPClient(configuration)
    }
}
