import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem
import ProviderTesting
import Testing

/// Tests of pinned items.
@Suite struct PinningTests {
    /// Whether a file's contents are local; `false` also if the item is not known yet.
    private func isHere(_ domain: TestDomain, _ path: String) throws -> Bool {
        var found = try domain.engine.index.item(.root)
        for name in path.split(separator: "/") {
            guard let folder = found else { return false }
            found = try domain.engine.index.item(named: String(name), in: folder.number)
        }
        return found?.content == .current
    }

    @Test func aKeptFolderIsBroughtWithAllThatComesIntoIt() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("kept")
        let inner = domain.provider.addFolder("inner", in: folder)
        domain.provider.addFile("a", "a", in: folder)
        domain.provider.addFile("b", "b", in: inner)
        domain.provider.addFile("outside", "o")
        try await domain.list()
        try await domain.engine.pin(try await domain.item("kept").number, true)
        try await eventually { try domain.engine.index.wantedCount() == 0 }
        #expect(try isHere(domain, "kept/a"))
        #expect(try isHere(domain, "kept/inner/b"))
        #expect(try !isHere(domain, "outside"))

        // Items that are created there at the provider are materialized.
        domain.provider.addFile("later", "l", in: inner)
        let more = domain.provider.addFolder("more", in: folder)
        domain.provider.addFile("deep", "d", in: more)
        domain.engine.signal(container: nil)
        try await eventually {
            try isHere(domain, "kept/inner/later") && isHere(domain, "kept/more/deep")
        }
        // An item that is moved there locally is pinned, and one that is moved out can be evicted.
        let number = try await domain.item("outside").number
        try await domain.rename("outside", "kept/outside")
        try await eventually { try domain.row(number).content == .current }
        try await domain.rename("kept/a", "a")
        try await domain.engine.evict(try await domain.item("a").number)
        #expect(try await domain.item("a").content == .dataless)
        // A file that is created there locally is pinned.
        try await domain.make("kept/made", "m")
        try await domain.settle()
        let made = try await domain.item("kept/made").number
        #expect(await failure { try await domain.engine.evict(made) } == .notPermitted)
    }

    @Test func otherContentsOfAKeptFileComeByThemselves() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file", "old")
        let number = try await domain.item("file").number
        try await domain.list()
        try await domain.engine.pin(number, true)
        try await eventually { try domain.row(number).content == .current }
        domain.provider.write("newer", to: identifier)
        domain.engine.signal(container: nil)
        try await eventually {
            let row = try domain.row(number)
            return row.content == .current && row.localSize == 5
        }
    }

    @Test func evictionLeavesWhatIsKeptUntilThatEnds() async throws {
        let domain = try TestDomain { $0.cacheLimit = 1500 }
        let folder = domain.provider.addFolder("kept")
        for name in ["a", "b", "c"] { domain.provider.addFile(name, [UInt8](repeating: 1, count: 1000), in: folder) }
        domain.provider.addFile("other", [UInt8](repeating: 1, count: 1000))
        try await domain.engine.pin(try await domain.item("kept").number, true)
        try await eventually { try domain.engine.index.wantedCount() == 0 }
        _ = try await domain.read("other")
        for name in ["a", "b", "c"] { #expect(try isHere(domain, "kept/" + name)) }
        #expect(try isHere(domain, "other"))
        try await domain.engine.pin(try await domain.item("kept").number, false)
        #expect(try domain.engine.index.statistics().evictableBytes == 1000)
    }

    @Test func aLowerLimitCountsAtOnce() async throws {
        let domain = try TestDomain()
        for name in ["a", "b", "c"] { domain.provider.addFile(name, [UInt8](repeating: 1, count: 1000)) }
        for name in ["a", "b", "c"] {
            _ = try await domain.read(name)
            domain.clock.advance(by: 10)
        }
        await domain.engine.run { $0.evictor.setLimit(2000, $0) }
        #expect(try !isHere(domain, "a"))
        #expect(try isHere(domain, "b"))
        #expect(try isHere(domain, "c"))
        #expect(try await domain.engine.status().cacheLimit == 2000)
        // A lower limit in the configuration applies at the next start.
        domain.configuration.cacheLimit = 1000
        try domain.restart()
        #expect(try !isHere(domain, "b"))
        #expect(try isHere(domain, "c"))
    }

    @Test func uploadedEditsCountForTheLimit() async throws {
        let domain = try TestDomain { $0.cacheLimit = 1500 }
        for name in ["a", "b"] { try await domain.make(name, String(repeating: "x", count: 1000)) }
        try await eventually {
            if let next = domain.clock.secondsToNext { domain.clock.advance(by: next) }
            let rows = [try await domain.item("a"), try await domain.item("b")]
            return rows.allSatisfy { $0.changes.isEmpty } && rows.count { $0.content == .current } == 1
        }
    }

    @Test func failedFetchesOfPinnedItemsAreReportedAndRetried() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("kept")
        for name in ["a", "b"] { domain.provider.addFile(name, name, in: folder) }
        let number = try await domain.item("kept").number
        try await domain.list(number)
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .contents { throw .of(.notAuthenticated) }
            }
        }
        try await domain.engine.pin(number, true)
        try await eventually { try await domain.engine.status().pinningFailure?.kind == .notAuthenticated }
        #expect(try await domain.engine.status().wantedCount == 2)
        // The engine does not retry before the next scheduled attempt.
        try await eventually { domain.clock.secondsToNext != nil }
        #expect(domain.provider.requests.count { $0.kind == .contents } <= 2)
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await eventually {
            if let next = domain.clock.secondsToNext { domain.clock.advance(by: next) }
            return try domain.engine.index.wantedCount() == 0
        }
        #expect(try await domain.engine.status().pinningFailure == nil)
    }

    @Test func oneThatCannotBeHadHoldsUpNoOther() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("kept")
        let bad = domain.provider.addFile("bad", "bad", in: folder)
        for name in ["a", "b", "c"] { domain.provider.addFile(name, name, in: folder) }
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request == .contents(of: bad) { throw .of(.badAnswer) }
            }
        }
        try await domain.engine.pin(try await domain.item("kept").number, true)
        try await eventually { try domain.engine.index.wantedCount() == 1 }
        try await eventually { try await domain.engine.status().pinningFailure?.kind == .badAnswer }
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        await domain.engine.retry()
        try await eventually { try domain.engine.index.wantedCount() == 0 }
    }

    @Test func aRestartGoesOnWithWhatIsMissing() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("kept")
        domain.provider.addFile("a", "a", in: folder)
        domain.provider.hold(.contents)
        try await domain.engine.pin(try await domain.item("kept").number, true)
        try await eventually { domain.provider.requests.contains { $0.kind == .contents } }
        try domain.restart { domain.provider.release(.contents) }
        try await eventually { try isHere(domain, "kept/a") }
    }

    @Test func aKeptFileThatIsSavedByRenamingStaysKept() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "old")
        try await domain.list()
        try await domain.engine.pin(try await domain.item("file").number, true)
        try await domain.make("new", "new")
        try await domain.rename("new", "file")
        #expect(try await domain.item("file").isPinned)
    }
}
