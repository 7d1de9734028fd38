import Foundation
import Glibc
import HTTPTransport
import LinuxSystem

/// The Nextcloud server of the tests (`Tests/CloudServers`) in a separate process. The server ends when this object is
/// released.
final class NextcloudModel {
    static let program = "/usr/bin/python3"
    /// The names of the two users, one for each client, and the password of both.
    static let (user, otherUser, password) = ("alice", "bob", "secret")

    /// The server's URL.
    let address: String
    /// The path of the file with the users' password.
    var passwordFile: String { scratch.path + "/password" }
    private let site: WebSite
    private let client: HTTPClient
    /// The write end of the server's standard input. The server also ends when this descriptor is closed.
    private let input: FileDescriptor
    private let companion: Companion
    private let scratch: ScratchFolder

    init() throws {
        let scratch = try ScratchFolder()
        try Array((Self.password + "\n").utf8).withUnsafeBytes { try scratch.file("password").writeAll($0) }
        let started = try Self.start(in: scratch)
        (companion, input) = (started.companion, started.input)
        self.scratch = scratch
        let line = try Self.readLine(of: started.output)
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw MeasurementError("the Nextcloud server does not start")
        }
        address = line
        site = WebSite(port: port)
        client = try site.client()
        try order("user", ["user": Self.otherUser, "password": Self.password])
    }

    deinit { companion.end() }

    /// Starts the server. The server's ends of the pipes are closed in this process when the function returns.
    /// Otherwise, a read would not return when the server ends.
    private static func start(
        in scratch: ScratchFolder
    ) throws -> (companion: Companion, input: FileDescriptor, output: FileDescriptor) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../Tests/CloudServers/serve")
        let (theirInput, input) = try FileDescriptor.pipe()
        let (output, theirOutput) = try FileDescriptor.pipe()
        let companion = try Companion(
            program,
            [script.path, "--user", user, "--password", password, "nextcloud", "--directory", scratch.path + "/state"],
            input: theirInput, output: theirOutput, errors: .copy(of: STDERR_FILENO))
        return (companion, input, output)
    }

    /// Returns the first line of the output. If the output ends before the end of the line, returns all text.
    private static func readLine(of output: FileDescriptor) throws -> String {
        var line: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            while try output.read(into: byte) == 1, byte[0] != UInt8(ascii: "\n") { line.append(byte[0]) }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Performs an action of `nextcloud/control.py`, and returns the server's reply.
    @discardableResult
    func order(_ action: String, _ fields: [String: any Sendable]) throws -> [String: Any] {
        var request = try site.request(.post, "-/" + action)
        request.body = .bytes([UInt8](try JSONSerialization.data(withJSONObject: fields)))
        let (client, sent) = (client, request)
        let response = try AsyncWork.wait { try await client.send(sent) }
        guard response.isSuccess else { throw MeasurementError(String(decoding: response.body, as: UTF8.self)) }
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    /// Returns the total size of a user's files in bytes.
    func size(of user: String) throws -> Int {
        try order("show", ["user": user, "path": ""])["size"] as? Int ?? -1
    }

    /// Waits until a user's files have the given total size in bytes.
    func wait(for user: String, size: Int) throws {
        for _ in 0..<30_000 {
            if try self.size(of: user) == size { return }
            usleep(10_000)
        }
        throw MeasurementError("the files of \(user) do not get to the server")
    }
}

/// A directory that `nextcloudcmd` synchronizes with the other user's files.
final class NextcloudPeer {
    static let program = "/usr/bin/nextcloudcmd"

    /// The path of the directory.
    var folder: String { scratch.path + "/files" }
    private let scratch: ScratchFolder
    private let address: String

    init(_ server: NextcloudModel) throws {
        scratch = try ScratchFolder()
        address = server.address
        _ = try scratch.folder("files")
    }

    /// Synchronizes the directory once.
    func synchronize() throws {
        let companion = try Companion(
            Self.program,
            [
                "--non-interactive", "-u", NextcloudModel.otherUser, "-p", NextcloudModel.password, folder, address,
            ],
            environment: ["HOME": scratch.path, "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"])
        let ending = try companion.waitForEnd(seconds: 600)
        guard ending == .exited(0) else { throw BenchmarkChild.Failure(program: Self.program, ending: ending) }
    }
}
