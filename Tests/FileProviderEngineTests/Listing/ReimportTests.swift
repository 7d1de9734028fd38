import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Imports of local items by a provider that has lost its records of them.
@Suite(.ownThreads) struct ReimportTests {
    /// Returns a domain with a listed tree: "folder" with the local file "local", the dataless file "dataless", the
    /// link "link" and the empty directory "empty"; and the local file "top".
    private func domain() async throws -> TestDomain {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("local", "local", in: folder)
        domain.provider.addFile("dataless", "dataless", in: folder)
        domain.provider.addLink("link", to: "local", in: folder)
        domain.provider.addFolder("empty", in: folder)
        domain.provider.addFile("top", "top")
        #expect(try await domain.read("top") == "top")
        #expect(try await domain.read("folder/local") == "local")
        try await domain.list(try await domain.item("folder/empty").number)
        // The engine lists the working set and requests changes by itself after the first listing.
        try await domain.waitUntilIdle()
        return domain
    }

    private func reimport(_ domain: TestDomain, below identifier: String = ProviderItem.rootIdentifier) async throws {
        try await domain.engine.doing { try $0.reimport(below: identifier) }
    }

    private func end(_ domain: TestDomain) async throws {
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(MemoryProvider.Kind.importFinished) == 1
        }
    }

    @Test func existingItemsAreNotRecreated() async throws {
        let domain = try await domain()
        let before = domain.provider.tree
        let pages = domain.provider.count(.page)
        try await reimport(domain)
        try await end(domain)
        #expect(domain.provider.count(.page) == pages + 3)
        #expect(domain.provider.tree == before)
        #expect(domain.provider.count(.create) == 0 && domain.provider.count(.replaceContents) == 0)
        #expect(try domain.row(await domain.item("top").number).content == .current)
    }

    @Test func missingItemsAreRecreatedIfTheirContentsAreLocal() async throws {
        let domain = try await domain()
        let folder = try #require(domain.provider.identifier(at: "folder"))
        let top = domain.provider.identifier(at: "top")
        domain.provider.remove(folder)
        domain.provider.remove(try #require(top))
        try await reimport(domain)
        try await end(domain)
        #expect(
            domain.provider.tree == [
                "folder": "/", "folder/local": "local", "folder/link": "->local", "folder/empty": "/", "top": "top",
            ])
        #expect(domain.provider.requests.contains(.createAgain(name: "top", in: ProviderItem.rootIdentifier)))
        #expect(domain.provider.requests.contains(.createAgain(name: "folder", in: ProviderItem.rootIdentifier)))
        #expect(try Set(domain.names(in: await domain.item("folder").number)) == ["empty", "link", "local"])
        #expect(try await domain.read("folder/local") == "local")
    }

    @Test func itemsWithOtherIdentifiersAreTheSameOnes() async throws {
        let domain = try await domain()
        let number = try await domain.item("folder/local").number
        for name in ["folder", "top"] { domain.provider.remove(try #require(domain.provider.identifier(at: name))) }
        let folder = domain.provider.addFolder("folder", identifier: "new folder")
        domain.provider.addFile("local", "local", in: folder, identifier: "new local")
        domain.provider.addFile("top", "top", identifier: "new top")
        try await reimport(domain)
        try await end(domain)
        let row = try await domain.item("folder/local")
        #expect(row.number == number && row.item.identifier == "new local")
        #expect(try domain.names() == ["folder", "top"])
        #expect(domain.provider.text(at: "folder/local") == "local" && domain.provider.text(at: "top") == "top")
        #expect(domain.provider.bytes(at: "top 2") == nil)
    }

    @Test func onlyWhatLiesBelowIsImported() async throws {
        let domain = try await domain()
        let folder = try #require(domain.provider.identifier(at: "folder"))
        let top = domain.provider.identifier(at: "top")
        domain.provider.remove(try #require(domain.provider.identifier(at: "folder/local")))
        domain.provider.remove(try #require(top))
        try await reimport(domain, below: folder)
        try await end(domain)
        #expect(domain.provider.text(at: "folder/local") == "local")
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["folder"] }
        #expect(domain.provider.bytes(at: "top") == nil)
    }

    @Test func aFileIsImportedByItself() async throws {
        let domain = try await domain()
        let top = try #require(domain.provider.identifier(at: "top"))
        domain.provider.remove(top)
        try await reimport(domain, below: top)
        try await end(domain)
        #expect(domain.provider.text(at: "top") == "top")
    }

    /// Renames a local item while the provider loses it. The request comes before the listing of its directory.
    private func rename(_ name: String, to newName: String, whileLosing domain: TestDomain) async throws {
        domain.provider.hold(.move)
        try await domain.rename(name, newName)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.move) == 1
        }
        domain.provider.hold(.page)
        domain.provider.remove(try #require(domain.provider.identifier(at: name)))
        try await reimport(domain)
        domain.provider.release(.move)
        let number = try domain.number(newName)
        try await eventually {
            guard let row = try domain.engine.index.item(number) else { return true }
            return !row.isKnownToProvider
        }
        domain.provider.release(.page)
        try await end(domain)
        try await domain.settle()
    }

    @Test func aRenamedFileIsMadeAgain() async throws {
        let domain = try await domain()
        try await rename("top", to: "renamed", whileLosing: domain)
        #expect(try domain.names() == ["folder", "renamed"])
        #expect(domain.provider.text(at: "renamed") == "top")
        #expect(domain.provider.requests.contains(.createAgain(name: "renamed", in: ProviderItem.rootIdentifier)))
    }

    @Test func aRenamedDirectoryIsMadeAgainWithWhatIsInIt() async throws {
        let domain = try await domain()
        try await rename("folder", to: "renamed", whileLosing: domain)
        #expect(
            domain.provider.tree == [
                "renamed": "/", "renamed/local": "local", "renamed/link": "->local", "renamed/empty": "/", "top": "top",
            ])
        #expect(try await domain.read("renamed/local") == "local")
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aDirectoryThatWasListedInPartIsListedAgainAfterAFailure() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("folder")
        for name in ["a", "b"] { domain.provider.addFile(name, name, in: folder) }
        domain.provider.behave { behaviour in
            behaviour.pageLimit = 1
            behaviour.before = { (request) throws(ProviderError) in
                if case .page(of: folder, _?) = request { throw .of(.cannotSynchronize) }
            }
        }
        let number = try await domain.item("folder").number
        try await domain.list(number, needs: .item(named: "a"))
        let failures = Lock(3)
        domain.provider.behave { behaviour in
            behaviour.before = { (request) throws(ProviderError) in
                guard case .page(of: folder, _) = request else { return }
                let isFailure = failures.withLock { failures in
                    failures -= 1
                    return failures >= 0
                }
                if isFailure { throw .of(.serverUnreachable) }
            }
        }
        try await reimport(domain)
        try await end(domain)
        #expect(try domain.names(in: number) == ["a", "b"])
    }

    @Test func anUnknownItemIsNotImported() async throws {
        let domain = try await domain()
        #expect(await failure { try await reimport(domain, below: "unknown") } == .noSuchItem)
    }

    @Test func anImportGoesOnAfterACrash() async throws {
        let domain = try await domain()
        domain.provider.remove(try #require(domain.provider.identifier(at: "top")))
        domain.provider.hold(.page)
        try await reimport(domain)
        try domain.restart()
        domain.provider.release(.page)
        try await end(domain)
        #expect(domain.provider.text(at: "top") == "top")
    }

    @Test func theEndOfAnImportIsReportedAgainAfterARestart() async throws {
        let domain = try await domain()
        domain.provider.hold(.importFinished)
        try await reimport(domain)
        try await end(domain)
        try domain.restart()
        domain.provider.release(.importFinished)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(MemoryProvider.Kind.importFinished) == 2
        }
        try await eventually { try domain.engine.index.setting("reimports") == nil }
        try domain.restart()
        for _ in 0..<5 {
            domain.clock.advance(by: 1)
            try await domain.engine.doing { _ in }
        }
        #expect(domain.provider.count(MemoryProvider.Kind.importFinished) == 2)
    }

    @Test func aFileThatWasMovedIntoALostDirectoryIsMoved() async throws {
        let domain = try await domain()
        try await domain.engine.doing { $0.setPaused(true) }
        try await domain.rename("top", "folder/top")
        domain.provider.remove(try #require(domain.provider.identifier(at: "folder")))
        try await reimport(domain)
        let number = try domain.number("folder")
        try await eventually { try !domain.row(number).isKnownToProvider }
        try await domain.engine.doing { $0.setPaused(false) }
        try await end(domain)
        try await domain.settle()
        #expect(
            domain.provider.tree == [
                "folder": "/", "folder/local": "local", "folder/link": "->local", "folder/empty": "/",
                "folder/top": "top",
            ])
        #expect(!domain.provider.requests.contains { if case .createAgain("top", _) = $0 { true } else { false } })
    }

    @Test func eachDirectoryIsListedOnce() async throws {
        let domain = try TestDomain()
        let names = ["a", "b", "c"]
        func fill(_ identifiers: (String) -> String?) {
            for name in names {
                let folder = domain.provider.addFolder(name, identifier: identifiers(name))
                domain.provider.addFile("file", name, in: folder, identifier: identifiers(name + " file"))
            }
        }
        fill { _ in nil }
        _ = try await domain.tree()
        try await domain.waitUntilIdle()
        for name in names { domain.provider.remove(try #require(domain.provider.identifier(at: name))) }
        fill { "new \($0)" }
        let pages = domain.provider.count(.page)
        try await reimport(domain)
        try await end(domain)
        #expect(domain.provider.count(.page) == pages + 4)
        #expect(try await domain.item("c/file").item.identifier == "new c file")
    }

    @Test func afterTheImportRemovedItemsGo() async throws {
        let domain = try await domain()
        try await reimport(domain)
        try await end(domain)
        domain.provider.remove(try #require(domain.provider.identifier(at: "top")))
        domain.engine.signal(container: nil)
        try await eventually { try domain.names() == ["folder"] }
        #expect(domain.provider.count(.create) == 0)
    }
}
