import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of a provider that waits for changes on a separate queue while it performs changes. The engine then knows only
/// which changes the provider's process is serving.
@Suite(.ownThreads) struct WaitingOnOwnQueuesTests {
    @Test func theOnlyChangeIsNotAwaited() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log, number) = (domain.engine, WaitLog(), try await domain.item("file.txt").number)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                await log.wait("file", on: engine, below: number, from: .provider(serving: [identifier]))
                await log.wait("all", on: engine, from: .provider(serving: [identifier]))
            }
        }
        try await domain.overwrite("file.txt", "new")
        try await domain.settle()
        #expect(log.lines == ["file waited", "all waited"])
        #expect(domain.provider.tree == ["file.txt": "new"])
    }

    /// Performs a change of `file.txt` while the provider holds a change of `other.txt`.
    private func withAnotherChange(
        _ wait: @escaping @Sendable (WaitLog, DomainEngine, _ number: ItemNumber, _ changes: [String]) async -> Void,
        _ check: (TestDomain, WaitLog) async throws -> Void
    ) async throws {
        let domain = try TestDomain()
        let changes = [domain.provider.addFile("file.txt", "old"), domain.provider.addFile("other.txt", "x")]
        let (engine, log, number) = (domain.engine, WaitLog(), try await domain.item("file.txt").number)
        _ = try await domain.item("other.txt")
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .replaceContents { await wait(log, engine, number, changes) }
            }
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { log.note("moved") }
            }
        }
        domain.provider.hold(.move)
        try await domain.rename("other.txt", "moved.txt")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.move) == 1
        }
        try await domain.overwrite("file.txt", "new")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.replaceContents) == 1
        }
        try await check(domain, log)
        domain.provider.release(.move)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "new", "moved.txt": "x"])
    }

    @Test func theOtherChangesAreAwaited() async throws {
        try await withAnotherChange { log, engine, _, changes in
            await log.wait("all", on: engine, from: .provider(serving: changes))
            log.note("went on")
        } _: { domain, log in
            domain.clock.advance(by: 10)
            #expect(log.lines == [])
            domain.provider.release(.move)
            try await domain.settle()
            #expect(log.lines == ["moved", "all waited", "went on"])
        }
    }

    @Test func aWaitForTheChangedItemItselfDoesNotAwaitTheOthers() async throws {
        try await withAnotherChange { log, engine, number, changes in
            await log.wait("file", on: engine, below: number, from: .provider(serving: changes))
        } _: { domain, log in
            try await eventually {
                domain.clock.advance(by: 1)
                return log.lines == ["file waited"]
            }
            #expect(domain.provider.heldCount(.move) == 1)
        }
    }

    @Test(arguments: [2, 3]) func changesThatWaitForEachOtherAreToldSo(count: Int) async throws {
        let domain = try TestDomain()
        let names = Array(["a", "b", "c"].prefix(count))
        let changes = names.map { domain.provider.addFile($0, "old") }
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                while provider.count(.replaceContents) < count { await Task.yield() }
                await log.wait("change", on: engine, from: .provider(serving: changes))
            }
        }
        for name in names { try await domain.overwrite(name, "new") }
        try await domain.settle()
        #expect(log.lines.contains("change cannotSynchronize"))
        #expect(log.lines.count == count)
        #expect(domain.provider.tree == names.reduce(into: [:]) { $0[$1] = "new" })
    }

    /// One of the changes waits on its request's thread, where the change is known.
    @Test func aKnownAndAnUnknownChangeThatWaitForEachOtherAreToldSo() async throws {
        let domain = try TestDomain()
        let changes = [domain.provider.addFile("a", "old"), domain.provider.addFile("b", "old")]
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard case .replaceContents(let identifier) = request else { return }
                while provider.count(.replaceContents) < 2 { await Task.yield() }
                await log.wait(
                    "change", on: engine,
                    from: identifier == changes[0] ? .change(of: identifier) : .provider(serving: changes))
            }
        }
        for name in ["a", "b"] { try await domain.overwrite(name, "new") }
        try await domain.settle()
        #expect(log.lines.contains("change cannotSynchronize"))
        #expect(log.lines.count == 2)
        #expect(domain.provider.tree == ["a": "new", "b": "new"])
    }

    @Test func workThatNeedsTheEndOfTheChangeIsReported() async throws {
        let domain = try TestDomain()
        let (engine, log) = (domain.engine, WaitLog())
        domain.provider.hold(.create)
        let folder = try await domain.makeFolder("folder")
        let identifier = try domain.row(folder).item.identifier
        try await domain.make("folder/file.txt", "x")
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request == .create(name: "folder", in: ProviderItem.rootIdentifier) else { return }
                await log.wait("all", on: engine, from: .provider(serving: [identifier]))
            }
        }
        domain.provider.release(.create)
        try await domain.settle()
        #expect(log.lines == ["all cannotSynchronize"])
        #expect(domain.provider.tree == ["folder": "/", "folder/file.txt": "x"])
    }

    /// A timer of the provider waits while a directory is created. The file in the directory is sent after it.
    @Test func aWaitOfNoChangeThatLooksLikeADeadlockEndsWithTheChange() async throws {
        let domain = try TestDomain()
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        provider.hold(.create)
        let folder = try await domain.makeFolder("folder")
        let identifier = try domain.row(folder).item.identifier
        try await domain.make("folder/file.txt", "x")
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.heldCount(.create) == 1
        }
        async let wait: Void = log.wait("all", on: engine, from: .provider(serving: [identifier]))
        for _ in 0..<8 {
            domain.clock.advance(by: 1)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(log.lines == [])
        provider.release(.create)
        try await eventually { try domain.row(folder).isKnownToProvider }
        try await eventually {
            domain.clock.advance(by: 1)
            return log.lines.count == 1
        }
        await wait
        #expect(log.lines == ["all waited"])
        #expect(provider.tree == ["folder": "/", "folder/file.txt": "x"])
    }

    /// The new file replaces a file that is being sent, so the new file can only be sent afterwards.
    @Test func aFileThatReplacesTheSentOneDuringTheWaitEndsIt() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        _ = try await domain.tree()
        let isMade = Lock(false)
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents, log.lines.isEmpty else { return }
                while !isMade.withLock({ $0 }) { await Task.yield() }
                log.note("begin")
                await log.wait("all", on: engine, from: .provider(serving: [identifier]))
            }
        }
        try await domain.overwrite("file.txt", "one")
        try await eventually {
            domain.clock.advance(by: 1)
            return provider.count(.replaceContents) == 1
        }
        // The new file is not sent yet, because the clock does not advance.
        try await domain.make("new.txt", "two")
        isMade.withLock { $0 = true }
        try await eventually { log.lines == ["begin"] }
        try await domain.rename("new.txt", "file.txt")
        try await domain.settle()
        #expect(log.lines.count == 2)
        #expect(provider.tree == ["file.txt": "two"])
    }

    /// The provider has accepted the contents, and continues the upload.
    @Test(arguments: [false, true]) func anUploadThatIsAcceptedIsNotAwaited(isKnown: Bool) async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        domain.provider.behave { $0.confirmsUploads = false }
        try await domain.overwrite("file.txt", "new")
        try await eventually {
            domain.clock.advance(by: 1)
            return try await engine.editStatus().items.contains(where: \.isUnderWay)
                && domain.provider.tree["file.txt"] == "new"
        }
        if isKnown {
            try await engine.waitForEdits(from: .change(of: identifier))
        } else {
            await log.wait("all", on: engine, from: .provider(serving: []))
            #expect(log.lines == ["all waited"])
        }
        #expect(try await engine.editStatus().items.count == 1)
        domain.provider.confirmUploads()
        try await domain.settle()
        #expect(try await engine.editStatus().items.isEmpty)
    }

    @Test func aWaitThatBelongsToNoChangeAwaitsAll() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        domain.provider.hold(.move)
        try await domain.rename("file.txt", "moved.txt")
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { log.note("moved") }
            }
        }
        async let wait: Void = log.wait("all", on: engine, from: .provider(serving: []))
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.move) == 1
        }
        domain.provider.release(.move)
        // The wait checks the edits only when the clock advances, and `settle` does not advance the clock if no edit is
        // left.
        try await eventually {
            domain.clock.advance(by: 1)
            return log.lines.count == 2
        }
        await wait
        try await domain.settle()
        #expect(log.lines == ["moved", "all waited"])
    }
}
