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
    @Test func itDoesNotWaitForThatChange() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log, number) = (domain.engine, WaitLog(), try await domain.item("file.txt").number)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                await log.wait("file", on: engine, below: number, from: .change(of: identifier))
                await log.wait("all", on: engine, from: .change(of: identifier))
            }
        }
        try await domain.overwrite("file.txt", "new")
        try await domain.settle()
        #expect(log.lines == ["file waited", "all waited"])
        #expect(domain.provider.tree == ["file.txt": "new"])
    }

    @Test func itDoesNotWaitForTheNewItemThatItMakes() async throws {
        let domain = try TestDomain()
        let (engine, log) = (domain.engine, WaitLog())
        let name = try await domain.make("file.txt", "new")
        let identifier = try domain.row(name).item.identifier
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .create else { return }
                await log.wait("file", on: engine, below: name, from: .change(of: identifier))
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
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.item("other.txt")
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                await log.wait("file", on: engine, from: .change(of: identifier))
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
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard case .replaceContents(let identifier) = request else { return }
                // Each continues only when the other is in progress.
                while provider.count(.replaceContents) < 2 { await Task.yield() }
                await log.wait("change", on: engine, from: .change(of: identifier))
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
        let (engine, log) = (domain.engine, WaitLog())
        domain.provider.hold(.create)
        let folder = try await domain.makeFolder("folder")
        let identifier = try domain.row(folder).item.identifier
        try await domain.make("folder/file.txt", "x")
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request == .create(name: "folder", in: ProviderItem.rootIdentifier) else { return }
                await log.wait("folder", on: engine, below: folder, from: .change(of: identifier))
            }
        }
        domain.provider.release(.create)
        try await domain.settle()
        #expect(log.lines == ["folder cannotSynchronize"])
        #expect(domain.provider.tree == ["folder": "/", "folder/file.txt": "x"])
    }

    @Test func itDoesNotWaitForTheRemovalThatItMakes() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .delete else { return }
                await log.wait("all", on: engine, from: .change(of: identifier))
            }
        }
        try await domain.remove("file.txt")
        try await domain.settle()
        #expect(log.lines == ["all waited"])
        #expect(domain.provider.tree == [:])
    }

    /// The wait begins before the provider has the item under its new identifier, or after that.
    @Test(arguments: [false, true], [false, true])
    func itDoesNotWaitForTheMoveThatItMakes(identifiersArePaths: Bool, isAfter: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = identifiersArePaths }
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            let wait: @Sendable (MemoryProvider.Request) async throws(ProviderError) -> Void = {
                (request) throws(ProviderError) in
                guard request.kind == .move else { return }
                engine.signal(container: nil)
                await log.wait("all", on: engine, from: .change(of: identifier))
            }
            if isAfter { behaviour.after = wait } else { behaviour.before = wait }
        }
        try await domain.rename("file.txt", "renamed.txt")
        try await domain.settle()
        #expect(log.lines == ["all waited"])
        #expect(domain.provider.tree == ["renamed.txt": "old"])
    }

    /// The file that replaced the one being sent has its identifier.
    @Test(arguments: [false, true])
    func itDoesNotWaitForTheFileThatReplacesTheSentOne(isReplacedFirst: Bool) async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        let isReplaced = Lock(!isReplacedFirst)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request.kind == .replaceContents, log.lines.isEmpty else { return }
                while !isReplaced.withLock({ $0 }) { await Task.yield() }
                await log.wait("all", on: engine, from: .change(of: identifier))
            }
        }
        try await domain.overwrite("file.txt", "one")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(.replaceContents) == 1
        }
        try await domain.save("file.txt", "two")
        isReplaced.withLock { $0 = true }
        try await domain.settle()
        #expect(log.lines == ["all waited"])
        #expect(domain.provider.tree == ["file.txt": "two"])
    }

    @Test func threeChangesThatWaitForTheNextAreToldSo() async throws {
        let domain = try TestDomain()
        let names = ["a", "b", "c"]
        let identifiers = names.map { domain.provider.addFile($0, "old") }
        let (engine, log, provider) = (domain.engine, WaitLog(), domain.provider)
        _ = try await domain.tree()
        var numbers: [ItemNumber] = []
        for name in names { numbers.append(try await domain.item(name).number) }
        let next = Dictionary(uniqueKeysWithValues: zip(identifiers, numbers.dropFirst() + numbers.prefix(1)))
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard case .replaceContents(let identifier) = request, let other = next[identifier] else { return }
                while provider.count(.replaceContents) < 3 { await Task.yield() }
                await log.wait("change", on: engine, below: other, from: .change(of: identifier))
            }
        }
        for name in names { try await domain.overwrite(name, "new") }
        try await domain.settle()
        #expect(log.lines.contains("change cannotSynchronize"))
        #expect(log.lines.count == 3)
        #expect(domain.provider.tree == ["a": "new", "b": "new", "c": "new"])
    }

    /// One item gets a temporary name, in a step of the other item. This step cannot end before the wait.
    @Test(arguments: [false, true])
    func anExchangeWhoseMovesWaitForEachOtherEnds(identifiersArePaths: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = identifiersArePaths }
        domain.provider.addFile("a", "one")
        domain.provider.addFile("b", "two")
        let (engine, log) = (domain.engine, WaitLog())
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard case .move(let identifier) = request else { return }
                await log.wait("move", on: engine, from: .change(of: identifier))
            }
        }
        try await domain.rename("a", "b", .exchanging)
        try await domain.settle()
        #expect(domain.provider.tree == ["a": "two", "b": "one"])
        #expect(log.lines.contains("move cannotSynchronize"))
        #expect(log.lines.count == domain.provider.count(.move))
    }

    /// The provider has moved the directory. A listing waits for the new identifier, which the reply has.
    @Test func aListingThatNeedsTheEndOfTheMoveIsReported() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let provider = domain.provider
        provider.behave { $0.identifiersArePaths = true }
        let identifier = provider.addFolder("folder")
        provider.addFile("file.txt", "x", in: identifier)
        let (engine, log, folder) = (domain.engine, WaitLog(), try await domain.item("folder").number)
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .move else { return }
                let count = provider.requests.count
                engine.list(folder, needs: .complete) { _ in log.note("listed") }
                while provider.requests.count == count { await Task.yield() }
                do throws(ProviderError) {
                    try await engine.waitForBothSides(from: .change(of: identifier))
                    log.note("waited")
                } catch {
                    log.note("\(error.kind)")
                }
            }
        }
        try await domain.rename("folder", "renamed")
        try await domain.settle()
        try await eventually { log.lines == ["cannotSynchronize", "listed"] }
        #expect(provider.tree == ["renamed": "/", "renamed/file.txt": "x"])
    }
}
