import CloudTesting
import FileTesting
import HTTPTransport
import LinuxSystem
import NextcloudClient
import NextcloudTesting
import Synchronization
import Testing
import WebDAVClient

struct UploadTests {
    private let server: NextcloudTestServer
    private let client: NextcloudClient
    private let folder: TestFolder
    private let address: HTTPAddress

    init() async throws {
        server = try await NextcloudTestServer()
        client = try server.client()
        folder = try TestFolder()
        address = try client.root.appending("large ü.bin")
    }

    /// The size of the files: four chunks, the first three of the smallest size.
    private static let size = 17_000_000

    private func file(_ bytes: [UInt8], if state: DAVRequirements.State = .absent) throws -> NextcloudFile {
        let name = "source-\(UInt64.random(in: .min ... .max))"
        var file = NextcloudFile(try folder.file(name, bytes), size: bytes.count, to: address, if: state)
        file.modified = HTTPDate(seconds: 1_234_567_890)
        return file
    }

    /// Rules by which chunks have the smallest size, and pauses are short.
    private var rules: NextcloudClient.UploadRules {
        var rules = NextcloudClient.UploadRules()
        rules.largestChunk = 5_000_000
        rules.firstPause = .milliseconds(20)
        rules.assemblyPatience = .seconds(20)
        return rules
    }

    private func contents() async throws -> [UInt8] {
        try await client.files.get(address, to: .memory(limit: 1 << 26)).bytes
    }

    /// The upload as a caller stores it.
    private final class Note: Sendable {
        private let state = Mutex<[NextcloudUpload?]>([])
        var all: [NextcloudUpload?] { state.withLock { $0 } }
        var last: NextcloudUpload? { state.withLock { $0.last ?? nil } }
        @Sendable func keep(_ upload: NextcloudUpload?) async { state.withLock { $0.append(upload) } }
    }

    @Test func `a large file is sent in chunks, each with its destination`() async throws {
        let bytes = pattern(Self.size)
        let note = Note()
        let progress = Mutex(0)
        let written = try await client.upload(
            file(bytes), contents: "v1", rules: rules, note: note.keep,
            onProgress: { sent in progress.withLock { $0 = max($0, sent) } })
        #expect(try await contents() == bytes)
        let entry = try await client.files.entry(at: address)
        #expect(entry.tag == written.tag && entry.modified == HTTPDate(seconds: 1_234_567_890))
        #expect(written.hasTakenDate && written.instanceID != nil)
        #expect(progress.withLock { $0 } == Self.size)
        let chunks = try await server.requests("PUT")
        let names = chunks.compactMap { $0.path.split(separator: "/").last.map { String($0) } }
        #expect(names.sorted() == ["00001", "00002", "00003", "00004"])
        for request in try await server.requests("PUT") + server.requests("MOVE") + server.requests("MKCOL") {
            #expect(request.headers["destination"] == address.description)
            #expect(request.headers["oc-total-length"] == "\(Self.size)")
        }
        #expect(note.all.count == 3 && note.last == nil && note.all[1]?.isAssembling == true)
        #expect(try await server.requests("MOVE").count == 1)
    }

    @Test func `a file that another client changed is not overwritten`() async throws {
        try await server.write("large ü.bin", "theirs")
        let note = Note()
        let error = await failure {
            _ = try await client.upload(file(pattern(Self.size)), contents: "v1", rules: rules, note: note.keep)
        }
        guard case .requirementFailed = error else { throw UnexpectedError(error: error) }
        let tag = try #require(try await client.files.entry(at: address).tag)
        try await server.write("large ü.bin", "theirs, later")
        let other = await failure {
            _ = try await client.upload(
                file(pattern(Self.size), if: .tag(tag)), contents: "v1", rules: rules, note: note.keep)
        }
        guard case .requirementFailed = other else { throw UnexpectedError(error: other) }
        #expect(try await contents() == Array("theirs, later".utf8))
        #expect(note.last == nil)
        #expect(try await server.requests("DELETE").count == 2)
        let now = try #require(try await client.files.entry(at: address).tag)
        let bytes = pattern(Self.size, seed: 3)
        _ = try await client.upload(file(bytes, if: .tag(now)), contents: "v1", rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `an upload that broke off goes on where it stopped`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        try await server.order("fault", ["method": "PUT", "path": "00003", "times": -1, "drop": "before"])
        let error = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        #expect(error?.mayHaveSucceeded == true)
        try await server.order("clear-faults")
        try await server.order("requests", ["forget": true])
        let upload = try #require(note.last)
        _ = try await client.upload(file(bytes), contents: "v1", resuming: upload, rules: rules, note: note.keep)
        #expect(try await contents() == bytes)
        // The chunk behind the gap is used, too.
        #expect(try await server.requests("PUT").map { $0.path.hasSuffix("/00003") } == [true])
        #expect(try await server.requests("MKCOL").isEmpty)
    }

    @Test func `chunks are sent at the same time, up to a limit`() async throws {
        var rules = rules
        rules.chunksAtOnce = 3
        try await server.order("fault", ["method": "PUT", "path": "0000[123]", "times": -1, "delay": 3_600])
        let source = try file(pattern(Self.size))
        let task = Task { await failure { _ = try await client.upload(source, contents: "v1", rules: rules) } }
        while try await server.order("waiting")["PUT"] as? Int ?? 0 < 3 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await server.requests("PUT").allSatisfy { !$0.path.hasSuffix("/00004") })
        task.cancel()
        #expect(await task.value == .transport(.cancelled))
    }

    @Test func `chunks of different sizes fit together after an interruption`() async throws {
        let bytes = pattern(62_000_000)
        var rules = rules
        rules.largestChunk = nil
        try await server.order("fault", ["method": "PUT", "path": "00003", "times": -1, "status": 500])
        _ = await failure { _ = try await client.upload(file(bytes), contents: "v1", rules: rules) }
        try await server.order("clear-faults")
        try await server.order("requests", ["forget": true])
        rules.largestChunk = 5_000_000
        _ = try await client.upload(file(bytes), contents: "v1", rules: rules)
        #expect(try await contents() == bytes)
        #expect(try await server.requests("MKCOL").isEmpty)
    }

    @Test func `a chunk that overlaps another one is removed`() async throws {
        let bytes = pattern(Self.size)
        try await server.order("fault", ["method": "PUT", "path": "00004", "times": -1, "status": 500])
        let note = Note()
        _ = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        try await server.order("clear-faults")
        let upload = try #require(note.last)
        var late = client.files.request(
            .put, try server.address.resolving("remote.php/dav/uploads/alice/\(upload.name)/00001"))
        late.body = .bytes(Array(bytes.prefix(10_000_000)))
        late.headers["Destination"] = address.description
        _ = try await client.files.send(late)
        _ = try await client.upload(file(bytes), contents: "v1", resuming: upload, rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `chunks of other contents are not used`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        try await server.order("fault", ["method": "PUT", "path": "00003", "times": -1, "status": 500])
        _ = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        try await server.order("clear-faults")
        let other = pattern(Self.size, seed: 1)
        _ = try await client.upload(
            file(other), contents: "v2", resuming: note.last, rules: rules, note: note.keep)
        #expect(try await contents() == other)
        #expect(try await server.requests("DELETE").count == 1)
    }

    @Test func `an upload that the server forgot begins again`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        try await server.order("fault", ["method": "MOVE", "status": 500])
        try await server.order("fault", ["method": "PUT", "path": "00004", "times": -1, "status": 500])
        _ = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        try await server.order("clear-faults")
        try await server.order("expire-uploads")
        _ = try await client.upload(file(bytes), contents: "v1", resuming: note.last, rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `an upload that the server forgets on the way begins again`() async throws {
        let bytes = pattern(Self.size)
        try await server.order("fault", ["method": "PUT", "path": "00003", "status": 404])
        _ = try await client.upload(file(bytes), contents: "v1", rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `a gap between chunks is filled`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        try await server.order("fault", ["method": "PUT", "path": "00004", "times": -1, "status": 500])
        _ = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        try await server.order("clear-faults")
        let upload = try #require(note.last)
        let chunk = try server.address.resolving("remote.php/dav/uploads/alice/\(upload.name)/00002")
        try await client.files.delete(chunk)
        _ = try await client.upload(file(bytes), contents: "v1", resuming: upload, rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test(arguments: ["after", "before"])
    func `a chunk whose reply is lost is sent again`(drop: String) async throws {
        let bytes = pattern(Self.size)
        try await server.order("fault", ["method": "PUT", "path": "00002", "times": 2, "drop": drop])
        _ = try await client.upload(file(bytes), contents: "v1", rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `a connection that breaks within a chunk loses nothing`() async throws {
        let proxy = try await FaultProxy(before: server.address)
        try await proxy.command(#"{"cut": {"after": 7000000, "direction": "up", "times": 2}}"#, number: 1)
        let through = try server.client(at: proxy.root)
        let bytes = pattern(Self.size)
        let address = try through.root.appending("large.bin")
        let file = NextcloudFile(try folder.file("source", bytes), size: bytes.count, to: address, if: .absent)
        _ = try await through.upload(file, contents: "v1", rules: rules)
        #expect(try await through.files.get(address, to: .memory(limit: 1 << 26)).bytes == bytes)
    }

    @Test func `a proxy that refuses large chunks gets smaller ones`() async throws {
        let bytes = pattern(Self.size)
        var rules = rules
        rules.largestChunk = nil
        try await server.order("fault", ["method": "PUT", "path": "00001", "status": 413])
        _ = try await client.upload(file(bytes), contents: "v1", rules: rules)
        #expect(try await contents() == bytes)
    }

    // MARK: Assembly

    @Test func `an assembly that takes longer than its reply is waited for and not repeated`() async throws {
        try await server.order("set", ["assembly-timeout": 0.1, "assembly-delay": 2])
        let (bytes, note) = (pattern(Self.size), Note())
        let written = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        #expect(try await contents() == bytes)
        #expect(try await client.files.entry(at: address).tag == written.tag)
        #expect(try await server.requests("MOVE").count == 1)
        #expect(note.last == nil)
    }

    @Test func `an assembly whose reply is lost is found`() async throws {
        try await server.order("fault", ["method": "MOVE", "drop": "after"])
        let bytes = pattern(Self.size)
        let written = try await client.upload(file(bytes), contents: "v1", rules: rules)
        #expect(try await client.files.entry(at: address).tag == written.tag)
        #expect(try await server.requests("MOVE").count == 1)
    }

    @Test func `an assembly that did not take place is done when the upload is resumed`() async throws {
        try await server.order("fault", ["method": "MOVE", "drop": "before"])
        let (bytes, note) = (pattern(Self.size), Note())
        var rules = rules
        rules.assemblyPatience = .milliseconds(200)
        let error = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        #expect(error?.mayHaveSucceeded == true)
        let upload = try #require(note.last)
        #expect(upload.isAssembling)
        _ = try await client.upload(file(bytes), contents: "v1", resuming: upload, rules: rules, note: note.keep)
        #expect(try await contents() == bytes)
        #expect(try await server.requests("PUT").count == 4)
    }

    @Test func `an assembly that goes on when the upload is resumed is waited for`() async throws {
        try await server.order("set", ["assembly-timeout": 0.1, "assembly-hold": true])
        let (bytes, note) = (pattern(Self.size), Note())
        var impatient = rules
        impatient.assemblyPatience = .milliseconds(100)
        let error = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: impatient, note: note.keep)
        }
        #expect(error?.mayHaveSucceeded == true)
        let release = Task {
            while try await server.requests("MOVE").count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            try await server.order("set", ["assembly-hold": false])
        }
        _ = try await client.upload(file(bytes), contents: "v1", resuming: note.last, rules: rules)
        try await release.value
        #expect(try await contents() == bytes)
        #expect(try await server.requests("PUT").count == 4)
    }

    @Test func `an assembly that ended meanwhile is found when the upload is resumed`() async throws {
        try await server.order("fault", ["method": "MOVE", "drop": "after"])
        try await server.order("fault", ["method": "PROPFIND", "skip": 2, "times": -1, "drop": "before"])
        let (bytes, note) = (pattern(Self.size), Note())
        var rules = rules
        rules.assemblyPatience = .milliseconds(100)
        _ = await failure {
            _ = try await client.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        try await server.order("clear-faults")
        let upload = try #require(note.last)
        let written = try await client.upload(
            file(bytes), contents: "v1", resuming: upload, rules: rules, note: note.keep)
        #expect(try await client.files.entry(at: address).tag == written.tag)
        #expect(note.last == nil)
        #expect(try await server.requests("MOVE").count == 1)
    }

    // MARK: Refusals

    @Test func `a full account leaves no chunks`() async throws {
        try await server.order("quota", ["user": "alice", "bytes": 12_000_000])
        let error = await failure {
            _ = try await client.upload(file(pattern(Self.size)), contents: "v1", rules: rules)
        }
        #expect(error == .noSpace(server.address.origin))
        #expect(try await server.requests("PUT").isEmpty)
    }

    @Test func `an app password that ends on the way is an error, and the upload is kept`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        let password = try await server.order("user", ["user": "alice", "password": "secret"])["password"] as? String
        let app = try server.client(password: try #require(password))
        try await server.order("fault", ["method": "PUT", "path": "00003", "expire": true])
        let error = await failure {
            _ = try await app.upload(file(bytes), contents: "v1", rules: rules, note: note.keep)
        }
        #expect(error == .notSignedIn(server.address.origin))
        _ = try await client.upload(file(bytes), contents: "v1", resuming: note.last, rules: rules)
        #expect(try await contents() == bytes)
    }

    @Test func `a cancelled upload ends at once and can go on`() async throws {
        let (bytes, note) = (pattern(Self.size), Note())
        try await server.order("fault", ["method": "PUT", "path": "00003", "delay": 3_600])
        let source = try file(bytes)
        let task = Task {
            await failure { _ = try await client.upload(source, contents: "v1", rules: rules, note: note.keep) }
        }
        while try await server.requests("PUT").count < 2 { try await Task.sleep(for: .milliseconds(20)) }
        task.cancel()
        #expect(await task.value == .transport(.cancelled))
        _ = try await client.upload(source, contents: "v1", resuming: note.last, rules: rules)
        #expect(try await contents() == bytes)
    }

    // MARK: Small files

    @Test func `a small file is written in one request under its condition`() async throws {
        let bytes = pattern(1_000)
        var file = try file(bytes)
        file.checksum = "MD5:" + (try MessageDigest.hexadecimal(.md5, of: bytes))
        let written = try await client.put(file)
        let entry = NextcloudEntry(try await client.files.entry(at: address))
        #expect(entry.entry.tag == written.tag && entry.instanceID == written.instanceID)
        #expect(entry.checksums == [file.checksum])
        guard case .requirementFailed = await failure({ _ = try await client.put(file) }) else {
            throw UnexpectedError(error: nil)
        }
    }

    @Test func `several new files are written in one request, and each outcome is known`() async throws {
        try await server.order("mkdir", ["user": "alice", "path": "In"])
        let root = try client.root
        let date = HTTPDate(seconds: 1_234_567_890)
        let places = [
            try root.appending("In").appending("a #1 ü.txt"), try root.appending("missing").appending("b.txt"),
            try root.appending("c\r\n.txt"), try root.appending("empty.txt"), try root.appending("e.bin"),
        ]
        let bytes: [[UInt8]] = [Array("one".utf8), [1], [2], [], pattern(100_000)]
        let outcomes = try await client.writeNew(
            zip(bytes, places).map { NextcloudNewFile($0, to: $1, modified: date) })
        #expect(outcomes.count == 5)
        for index in [0, 3, 4] {
            let written = try outcomes[index].get()
            let entry = try await client.files.entry(at: places[index])
            #expect(entry.tag == written.tag && entry.modified == date)
            #expect(try await client.files.get(places[index], to: .memory(limit: 1 << 20)).bytes == bytes[index])
        }
        for index in [1, 2] { #expect(throws: DAVError.self) { try outcomes[index].get() } }
        #expect(try await server.requests("POST").filter { $0.path.hasSuffix("/bulk") }.count == 1)
    }

    @Test func `a reply that leaves out files is no success`() async throws {
        let file = NextcloudNewFile([1], to: address)
        let headers = ["Content-Type": "application/json"]
        for body in ["[]", "{}", #"{"/other": {"error": false, "etag": "x"}}"#, #"{"/large ü.bin": {"error": false}}"#]
        {
            try await server.order("fault", ["path": "bulk", "status": 200, "headers": headers, "body": body])
            let outcomes = try await client.writeNew([file])
            #expect(throws: DAVError.self) { try outcomes[0].get() }
        }
        try await server.order("fault", ["path": "bulk", "html": true])
        #expect(await failure { _ = try await client.writeNew([file]) } == .signInPage(server.address.origin))
    }
}
