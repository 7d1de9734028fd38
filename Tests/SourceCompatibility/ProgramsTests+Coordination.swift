import Foundation
import Testing

extension ProgramsTests {
    @MainActor @Test func aNoteIsShownWhileOthersChangeIt() async throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, renamed) = (folder.appendingPathComponent("note"), folder.appendingPathComponent("moved"))
        try Data("first".utf8).write(to: url)
        let note = PresentedNote(url: url)
        let watcher = PresentedFolder(folder)
        var seen: Set<String> = []
        watcher.didChange = { seen.insert($0) }
        NSFileCoordinator.addFilePresenter(watcher)
        defer { NSFileCoordinator.removeFilePresenter(watcher) }
        try note.load()
        #expect(note.text == "first")
        // Its own reading and saving send it no notifications.
        #expect(note.events.isEmpty)
        note.edit("second")
        let read = await elsewhere { try? Coordination.read(url) }
        #expect(read == Data("second".utf8))
        await until { note.events.contains("reader has read") }
        #expect(note.events == ["reader", "save", "reader has read"])
        _ = await elsewhere { try? Coordination.move(url, to: renamed) }
        await until { note.events.contains("moved to moved") && seen == ["note", "moved"] }
        #expect(note.presentedItemURL?.path == renamed.path)
        let lines = await elsewhere { Coordination.drain(renamed) }
        #expect(lines == ["second"])
        await until { note.events.contains("changed") && note.text.isEmpty }
        #expect(note.events.contains("deletion") && note.events.contains("writer has written"))
        try keepVersion(of: renamed)
        await until { note.events.contains("version") }
        _ = try resolveConflicts(at: renamed)
        let archive = await elsewhere { Coordination.archive(folder, into: FileManager.default.temporaryDirectory) }
        let zip = try #require(archive)
        #expect(zip.lastPathComponent == folder.lastPathComponent + ".zip")
        try FileManager.default.removeItem(at: zip)
        let error = await withCheckedContinuation { continuation in
            Coordination.copy(renamed, to: folder.appendingPathComponent("copy")) {
                continuation.resume(returning: $0.map { "\($0)" })
            }
        }
        #expect(error == nil)
    }

    #if !swift(>=6)
        @MainActor @Test func aPresenterOfBeforeSendableClosuresIsAsked() async throws {
            let file = try TemporaryFile("note", Data("text".utf8))
            let presenter = OlderPresenter(url: file.url)
            NSFileCoordinator.addFilePresenter(presenter)
            defer { NSFileCoordinator.removeFilePresenter(presenter) }
            let url = file.url
            _ = await elsewhere { try? Coordination.read(url) }
            _ = await elsewhere { Coordination.drain(url) }
            await until { presenter.events.contains("writer") }
            #expect(presenter.events == ["reader", "save", "reader has read", "writer"])
        }
    #endif

    /// Runs a blocking function on another thread, because the presenters' queue is the main one.
    private func elsewhere<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    @MainActor private func until(_ isTrue: () -> Bool) async {
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            if isTrue() { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("it did not become true")
    }
}
