import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of a provider that waits for changes while it performs one.
@Suite(.ownThreads) struct WaitingInsideChangesTests {
    /// The outcomes of the waits, and of the edits that they waited for.
    private final class Log: Sendable {
        private let state = Lock<[String]>([])

        var lines: [String] { state.withLock { $0 } }

        func note(_ line: String) { state.withLock { $0.append(line) } }

        func wait(
            _ name: String, on engine: DomainEngine, below top: ItemNumber = .root, in change: String
        ) async {
            do throws(ProviderError) {
                try await engine.waitForEdits(below: top, inside: change)
                note("\(name) waited")
            } catch {
                note("\(name) \(error.kind)")
            }
        }
    }

    @Test func itDoesNotWaitForThatChange() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log, number) = (domain.engine, Log(), try await domain.item("file.txt").number)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                await log.wait("file", on: engine, below: number, in: identifier)
                await log.wait("all", on: engine, in: identifier)
            }
        }
        try await domain.overwrite("file.txt", "new")
        try await domain.settle()
        #expect(log.lines == ["file waited", "all waited"])
        #expect(domain.provider.tree == ["file.txt": "new"])
    }

    @Test func itDoesNotWaitForTheNewItemThatItMakes() async throws {
        let domain = try TestDomain()
        let (engine, log) = (domain.engine, Log())
        let name = try await domain.make("file.txt", "new")
        let identifier = try domain.row(name).item.identifier
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .create { await log.wait("file", on: engine, below: name, in: identifier) }
            }
        }
        try await domain.settle()
        #expect(log.lines == ["file waited"])
        #expect(domain.provider.tree == ["file.txt": "new"])
    }

    @Test func itWaitsForWhatElseIsUnderWay() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        domain.provider.addFile("other.txt", "x")
        let (engine, log) = (domain.engine, Log())
        _ = try await domain.item("other.txt")
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .replaceContents { await log.wait("file", on: engine, in: identifier) }
            }
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { log.note("moved") }
            }
        }
        domain.provider.hold(.move)
        try await domain.rename("other.txt", "moved.txt")
        try await domain.overwrite("file.txt", "new")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.move) == 1 && domain.provider.count(.replaceContents) == 1
        }
        domain.clock.advance(by: 10)
        #expect(log.lines == [])
        domain.provider.release(.move)
        try await domain.settle()
        #expect(log.lines == ["moved", "file waited"])
        #expect(domain.provider.tree == ["file.txt": "new", "moved.txt": "x"])
    }

    @Test func twoChangesThatWaitForEachOtherAreToldSo() async throws {
        let domain = try TestDomain()
        let identifiers = [domain.provider.addFile("a", "old"), domain.provider.addFile("b", "old")]
        let (engine, log, provider) = (domain.engine, Log(), domain.provider)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard case .replaceContents(let identifier) = request else { return }
                // Each continues only when the other is in progress.
                while provider.count(.replaceContents) < 2 { await Task.yield() }
                await log.wait("change", on: engine, in: identifier)
            }
        }
        try await domain.overwrite("a", "new")
        try await domain.overwrite("b", "new")
        try await domain.settle()
        #expect(log.lines.contains("change cannotSynchronize"))
        #expect(log.lines.count == identifiers.count)
        #expect(domain.provider.tree == ["a": "new", "b": "new"])
    }

    @Test func workThatNeedsTheEndOfTheChangeIsReported() async throws {
        let domain = try TestDomain()
        let (engine, log) = (domain.engine, Log())
        domain.provider.hold(.create)
        let folder = try await domain.makeFolder("folder")
        let identifier = try domain.row(folder).item.identifier
        try await domain.make("folder/file.txt", "x")
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request == .create(name: "folder", in: ProviderItem.rootIdentifier) else { return }
                await log.wait("folder", on: engine, below: folder, in: identifier)
            }
        }
        domain.provider.release(.create)
        try await domain.settle()
        #expect(log.lines == ["folder cannotSynchronize"])
        #expect(domain.provider.tree == ["folder": "/", "folder/file.txt": "x"])
    }
}
