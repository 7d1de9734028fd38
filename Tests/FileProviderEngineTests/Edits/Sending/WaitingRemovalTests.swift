import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of removals that wait while the directory around them changes.
@Suite(.ownThreads) struct WaitingRemovalTests {
    @Test(arguments: 0..<4) func itemsMovedAndRemovedAtOnceAreRemovedAtTheProvider(seed: UInt64) async throws {
        let provider = MemoryProvider()
        for number in 1...40 { provider.addFile("file", "x", in: provider.addFolder("d\(number)")) }
        let domain = try TestDomain(provider)
        for number in 1...40 { try await domain.list(try await domain.item("d\(number)").number) }
        var generator = SeededGenerator(seed: seed)
        for number in 1...40 {
            func pass() async {
                for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                    domain.clock.advance(by: Double.random(in: 0...2, using: &generator))
                    for _ in 0..<Int.random(in: 0..<200, using: &generator) { await Task.yield() }
                }
            }
            let bin = try await domain.makeFolder("bin")
            await pass()
            try await domain.rename("d\(number)", "bin/d\(number)")
            await pass()
            // A program looks into the directory, which enumerates it anew.
            try await domain.list(bin)
            await pass()
            try await domain.remove("bin/d\(number)/file")
            await pass()
            try await domain.removeFolder("bin/d\(number)")
            try await domain.list(bin)
            await pass()
            try await domain.removeFolder("bin")
            await pass()
        }
        try await domain.settle()
        #expect(provider.tree == [:])
        #expect(try await domain.tree() == [:])
    }

    @Test func aListingLeavesTheRemovalOfWhatWasMovedIntoItsFolder() async throws {
        let provider = MemoryProvider()
        provider.behave { $0.hasAnchors = false }
        let bin = provider.addFolder("bin")
        provider.addFile("file", "x", in: provider.addFolder("moved"))
        let domain = try TestDomain(provider)
        _ = try await domain.item("moved/file")
        let number = try await domain.item("bin").number
        try await domain.list(number)
        provider.hold(.move)
        provider.hold(.item)
        try await domain.rename("moved", "bin/moved")
        try await domain.remove("bin/moved/file")
        try await domain.removeFolder("bin/moved")
        // The directory's listing does not have the item, which the provider still has at another place.
        let pages = provider.count(.page(of: bin, after: nil))
        domain.engine.signal(container: bin)
        try await eventually { provider.count(.page(of: bin, after: nil)) > pages }
        try await eventually { try await domain.engine.status().listingCount == 0 }
        provider.release(.move)
        provider.release(.item)
        try await domain.settle()
        #expect(provider.tree == ["bin": "/"])
        #expect(try await domain.tree() == ["bin": "/"])
    }

    @Test func aFolderThatIsGoneLeavesTheRemovalsOfWhatWasInIt() async throws {
        let provider = MemoryProvider()
        let folder = provider.addFolder("folder")
        let file = provider.addFile("file", "x", in: folder)
        let domain = try TestDomain(provider)
        _ = try await domain.item("folder/file")
        // The feed is followed from before the changes. Otherwise the root would be enumerated anew, which
        // revalidates items.
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        provider.hold(.item)
        provider.hold(.delete)
        try await domain.remove("folder/file")
        // Another client has moved the file out of the directory, and removed that directory.
        provider.rename(file, to: "saved", in: ProviderItem.rootIdentifier)
        provider.remove(folder)
        provider.forgetChanges(of: [file])
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.item(identifier: folder) == nil }
        provider.release(.item)
        provider.release(.delete)
        try await domain.settle()
        #expect(provider.tree == [:])
        #expect(try await domain.tree() == [:])
    }
}
