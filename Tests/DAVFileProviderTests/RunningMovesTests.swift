import DAVFileProvider
import HTTPTransport
import LinuxSystem
import Testing

/// Tests of moves and uploads on servers that create missing folders.
struct RunningMovesTests {
    /// The names of events, in order.
    private final class Log: Sendable {
        private let names = Lock<[String]>([])

        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// A function that records its beginning, waits until it is released, and records its end.
    private final class Step: Sendable {
        private let name: String
        private let log: Log
        private let begun = AsyncStream<Void>.makeStream()
        private let released = AsyncStream<Void>.makeStream()

        init(_ name: String, _ log: Log) {
            self.name = name
            self.log = log
        }

        func run() async {
            log.add(name + " begins")
            begun.continuation.yield()
            for await _ in released.stream { break }
            log.add(name + " ends")
        }

        func hasBegun() async { for await _ in begun.stream { break } }
        func release() { released.continuation.yield() }
    }

    private let folder: HTTPAddress
    private let moves = RunningMoves()
    private let log = Log()

    init() throws { folder = try HTTPAddress("http://cloud.example/dav/Folder/") }

    @Test func `a folder is moved after the uploads into it, and others are not delayed`() async throws {
        let (upload, file) = (Step("upload", log), try folder.appending("a.txt"))
        async let uploading: Void = moves.upload(to: file) { await upload.run() }
        await upload.hasBegun()
        async let moving: Void = moves.perform(moving: folder) { [log] in log.add("move") }
        let elsewhere = try HTTPAddress("http://cloud.example/dav/Folder 2/b.txt")
        try await moves.upload(to: elsewhere) { [log] in log.add("elsewhere") }
        try await moves.perform(moving: nil) { [log] in log.add("file") }
        upload.release()
        _ = try await (uploading, moving)
        #expect(log.all == ["upload begins", "elsewhere", "file", "upload ends", "move"])
    }

    @Test func `an upload waits for the move of a folder above it`() async throws {
        let (move, file) = (Step("move", log), try folder.appending("inner").appending("a.txt"))
        async let moving: Void = moves.perform(moving: folder) { await move.run() }
        await move.hasBegun()
        async let uploading: Void = moves.upload(to: file) { [log] in log.add("upload") }
        async let waiting: Void = moves.wait()
        let elsewhere = try HTTPAddress("http://cloud.example/dav/b.txt")
        try await moves.upload(to: elsewhere) { [log] in log.add("elsewhere") }
        move.release()
        _ = try await (moving, uploading, waiting)
        #expect(log.all == ["move begins", "elsewhere", "move ends", "upload"])
    }

    @Test func `an address is beneath the directories above it`() throws {
        let file = try folder.appending("inner").appending("a.txt")
        let (top, twin) = (
            try HTTPAddress("http://cloud.example/dav"), try HTTPAddress("http://cloud.example/dav/Fold")
        )
        let other = try HTTPAddress("http://other.example/dav/Folder/")
        #expect(file.isBeneath(folder) && file.isBeneath(top))
        #expect(!folder.isBeneath(folder) && !folder.isBeneath(file))
        #expect(!file.isBeneath(twin) && !file.isBeneath(other))
    }
}
