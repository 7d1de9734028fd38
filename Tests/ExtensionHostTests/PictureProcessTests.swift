import ExtensionHost
import FileTesting
import Foundation
import Images
import LinuxSystem
import ProgramTesting
import Testing

/// The pictures being decoded when the decoding process dies.
@Suite(.timeLimit(.minutes(10))) struct PictureProcessTests {
    private final class Counter: Sendable {
        // Leaf lock.
        let count = Lock(0)
    }

    private static func picture() throws -> FileDescriptor {
        let pixels = Data(repeating: 80, count: 64 * 64 * 4)
        let picture = try ImageCodec.encode(pixels, width: 64, height: 64, as: .png)
        return try MemoryFile.sealed(name: "picture") { file throws(Errno) in
            let result = picture.withUnsafeBytes { bytes in
                Result { () throws(Errno) in try file.writeAll(bytes) }
            }
            try result.get()
        }
    }

    @Test func picturesUnderWayAreFinished() async throws {
        let folder = try TestFolder()
        let process = PictureProcess(program: try BuiltProgram.path("purvey-pictures"), data: folder.path)
        let picture = try Self.picture()
        #expect(try await process.shrink(picture, sides: [16]).ranges.count == 1)
        // If it was idle for long, the process has ended already, and another one makes the pictures.
        let first = await process.processID
        if let first { kill(first, SIGSTOP) }
        let made = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let count = try await process.shrink(picture, sides: [16]).ranges.count
                    made.count.withLock { $0 += count }
                }
            }
            while await process.calls < 3, made.count.withLock({ $0 }) < 3 {
                try await Task.sleep(for: .milliseconds(2))
            }
            if let first { kill(first, SIGKILL) }
            try await group.waitForAll()
        }
        #expect(made.count.withLock { $0 } == 3)
        // Another process makes the next pictures.
        #expect(try await process.shrink(picture, sides: [16]).ranges.count == 1)
        #expect(await process.processID != first)
        await process.close()
        withExtendedLifetime(folder) {}
    }

    @Test func onePictureThatItDiesOfEachTimeIsOfNoUse() async throws {
        let folder = try TestFolder()
        // The process ends before it decodes anything.
        let process = PictureProcess(program: "/usr/bin/false", data: folder.path)
        let picture = try Self.picture()
        do throws(PictureError) {
            _ = try await process.shrink(picture, sides: [16])
            Issue.record("a picture was made by nobody")
        } catch .unusable {
        } catch {
            Issue.record("\(error)")
        }
        await process.close()
        withExtendedLifetime(folder) {}
    }
}
