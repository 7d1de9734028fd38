import Dispatch
import Foundation
import FoundationAdditions
import Glibc
import Testing

@Suite struct FileSystemSourceTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Returns the events that a source reports for `change`, once it has reported all of `expected`.
    private func events(
        of path: String, _ mask: DispatchSource.FileSystemEvent = .all, until expected: DispatchSource.FileSystemEvent,
        _ change: () throws -> Void
    ) async throws -> DispatchSource.FileSystemEvent {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: mask, queue: DispatchQueue(label: "events"))
        nonisolated(unsafe) let watched = source
        let (stream, continuation) = AsyncStream<UInt>.makeStream()
        source.setEventHandler { continuation.yield(watched.data.rawValue) }
        source.setCancelHandler { continuation.finish() }
        source.activate()
        try change()
        var seen: DispatchSource.FileSystemEvent = []
        for await events in stream {
            seen.formUnion(DispatchSource.FileSystemEvent(rawValue: events))
            if seen.isSuperset(of: expected) { source.cancel() }
        }
        #expect(source.isCancelled && source.handle as Int32 == descriptor)
        close(descriptor)
        try? FileManager.default.removeItem(at: folder)
        return seen
    }

    @Test func aFileTellsWhatIsWrittenToIt() async throws {
        let path = folder.appendingPathComponent("f").path
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let seen = try await events(of: path, [.write, .extend, .attrib], until: [.write, .extend]) {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.write(contentsOf: Data("longer".utf8))
        }
        #expect(seen == [.write, .extend])
    }

    @Test func aFileTellsOfItsNamesAndAttributes() async throws {
        let path = folder.appendingPathComponent("f").path
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let seen = try await events(of: path, until: [.attrib, .link, .rename, .delete]) {
            chmod(path, 0o600)
            usleep(20_000)
            link(path, path + "2")
            usleep(20_000)
            rename(path, path + "3")
            unlink(path + "2")
            unlink(path + "3")
        }
        #expect(seen.isSuperset(of: [.attrib, .link, .rename, .delete]) && !seen.contains(.write))
    }

    @Test func aFolderTellsOfNamesInIt() async throws {
        let file = folder.appendingPathComponent("f")
        let seen = try await events(of: folder.path, [.write, .delete], until: .write) { try Data().write(to: file) }
        #expect(seen == .write)
    }

    @Test func aFolderThatIsRemovedTellsSo() async throws {
        let inner = folder.appendingPathComponent("inner", isDirectory: true)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        let seen = try await events(of: inner.path, .delete, until: .delete) { rmdir(inner.path) }
        #expect(seen == .delete)
    }

    @Test func aSourceOfNoFileIsCancelledAllTheSame() async {
        let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: -1, eventMask: .all)
        await withCheckedContinuation { continuation in
            source.setCancelHandler { continuation.resume() }
            source.resume()
            source.cancel()
        }
        #expect(source.isCancelled && source.data.isEmpty)
        try? FileManager.default.removeItem(at: folder)
    }
}
