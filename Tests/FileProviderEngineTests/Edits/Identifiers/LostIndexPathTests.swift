import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of identifiers that are paths, where the index is lost while the outcome of a move is unknown, or another
/// client uses the former path again. The journal has the item's former place.
@Suite(.ownThreads) struct LostIndexPathTests {
    /// Creates a domain in which `file` was renamed to `backup`. The provider did it, and the reply was lost.
    private static func domain(folder: String? = nil) async throws -> TestDomain {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let provider = domain.provider
        provider.behave { $0.identifiersArePaths = true }
        let parent = folder.map { provider.addFolder($0) } ?? ProviderItem.rootIdentifier
        provider.addFile("file", "old", in: parent)
        _ = try await domain.tree()
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        let path = folder.map { $0 + "/" } ?? ""
        try await domain.rename(path + "file", path + "backup")
        try await eventually {
            if provider.identifier(at: path + "backup") == nil { domain.clock.advance(by: 1) }
            return try await domain.status().items.first?.failure != nil
        }
        provider.behave { $0.after = { (_) throws(ProviderError) in } }
        return domain
    }

    private static func restartWithoutIndex(_ domain: TestDomain) throws {
        let path = domain.configuration.dataFolder + "/index.db"
        try domain.restart { try Index.delete(path: path) }
    }

    private static func expectSame(
        _ domain: TestDomain, _ tree: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        #expect(domain.provider.tree == tree, sourceLocation: sourceLocation)
    }

    @Test(arguments: [nil, "folder"])
    func aNewFileWaitsForTheMoveOfTheOneThatHadItsName(in folder: String?) async throws {
        let domain = try await Self.domain(folder: folder)
        let path = folder.map { $0 + "/" } ?? ""
        let number = try await domain.item(path + "backup").number
        try Self.restartWithoutIndex(domain)
        try await domain.make(path + "file", "new")
        // The outcome of the move is requested before the move is repeated.
        domain.provider.hold(.item)
        for _ in 0..<10 {
            domain.clock.advance(by: 1)
            for _ in 0..<1_000 { await Task.yield() }
        }
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.item) > 0
        }
        #expect(domain.provider.count(.create) == 0)
        domain.provider.release(.item)
        let tree = [path + "backup": "old", path + "file": "new"]
        try await Self.expectSame(domain, folder.map { tree.merging([$0: "/"]) { $1 } } ?? tree)
        #expect(try await domain.item(path + "backup").number == number)
        #expect(domain.provider.count(.create) == 1)
    }

    /// Another client changes the moved file, so that it is not recognized in its new place. The repeated move must not
    /// move the new file, which would then be sent once more.
    @Test func aNewFileIsNotMovedInPlaceOfTheOneThatHadItsName() async throws {
        let domain = try await Self.domain()
        let provider = domain.provider
        try Self.restartWithoutIndex(domain)
        try await domain.make("file", "new")
        provider.write("theirs", to: "/backup")
        let isLost = Lock(false)
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .create else { return }
                let isFirst = isLost.withLock { isLost in
                    defer { isLost = true }
                    return !isLost
                }
                if isFirst { throw .of(.serverUnreachable) }
            }
        }
        try await Self.expectSame(domain, ["backup": "theirs", "file": "new"])
    }

    /// The index has no other record of the former place either.
    @Test func aRenameThatWasNotSentIsUndoneByAnother() async throws {
        let domain = try TestDomain { $0.settlingTime = 1_000 }
        domain.provider.behave { $0.identifiersArePaths = true }
        domain.provider.addFile("file", "old")
        _ = try await domain.tree()
        try await domain.rename("file", "backup")
        try Self.restartWithoutIndex(domain)
        // The journal has been read.
        #expect(try await domain.status().items.count == 1)
        let number = try domain.number("backup")
        #expect(try domain.row(number).item.filename == "file")
        try await domain.rename("backup", "file")
        #expect(try await domain.status().items.isEmpty)
        try await Self.expectSame(domain, ["file": "old"])
        #expect(domain.provider.count(.move) == 0)
    }

    /// Until the outcome is known, the reports of another client's file count as reports of the moved one.
    @Test(arguments: [false, true])
    func anotherClientsFileInTheFormerPlaceIsShown(isMovedAgain: Bool) async throws {
        let domain = try await Self.domain()
        let number = try await domain.item("backup").number
        domain.provider.addFile("file", "theirs")
        domain.engine.signal(container: nil)
        try await eventually {
            try domain.engine.index.item(identifier: "/file")?.item.size == 6
        }
        if isMovedAgain { try await domain.rename("backup", "other") }
        let name = isMovedAgain ? "other" : "backup"
        try await domain.settle()
        try await eventually {
            domain.clock.advance(by: 1)
            return Set(try domain.names()) == [name, "file"]
        }
        try await Self.expectSame(domain, [name: "old", "file": "theirs"])
        #expect(try await domain.item(name).number == number)
    }
}
