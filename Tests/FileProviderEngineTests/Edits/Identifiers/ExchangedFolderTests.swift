import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of items in directories that have exchanged their names, at a provider whose identifiers are paths. The
/// directories were not listed since, so the engine knows the items by identifiers that now belong to others.
@Suite(.ownThreads) struct ExchangedFolderTests {
    /// Creates a domain in which the directories `a` and `b` have exchanged their names. Further listings are held.
    private static func domain() async throws -> TestDomain {
        let domain = try TestDomain()
        let provider = domain.provider
        provider.behave { $0.identifiersArePaths = true }
        for (folder, text) in [("a", "one"), ("b", "two")] {
            let identifier = provider.addFolder(folder)
            provider.addFile("file", text, in: identifier)
            provider.addFile(text, text, in: provider.addFolder("inner", in: identifier))
        }
        for path in ["a/file", "b/file", "a/inner", "b/inner"] { _ = try await domain.item(path) }
        for folder in ["a", "b"] { try await domain.list(try await domain.item(folder).number) }
        provider.hold(.currentAnchor)
        for (from, to) in [("a", "t"), ("b", "a"), ("t", "b")] {
            try await domain.rename(from, to)
            try await domain.settle()
        }
        return domain
    }

    private static func expectSame(
        _ domain: TestDomain, _ files: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        domain.provider.release(.currentAnchor)
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        let tree = domain.provider.tree.filter { $0.value != "/" }
        #expect(tree == files, sourceLocation: sourceLocation)
        #expect(try await domain.status().events.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func aFileIsReadFromItsOwnDirectory() async throws {
        let domain = try await Self.domain()
        #expect(try await domain.read("b/file") == "one")
        #expect(try await domain.read("a/file") == "two")
        try await Self.expectSame(
            domain, ["a/file": "two", "a/inner/two": "two", "b/file": "one", "b/inner/one": "one"])
    }

    @Test func aFileIsRemovedFromItsOwnDirectory() async throws {
        let domain = try await Self.domain()
        try await domain.remove("b/file")
        try await domain.settle()
        try await Self.expectSame(domain, ["a/file": "two", "a/inner/two": "two", "b/inner/one": "one"])
    }

    @Test func aFileIsRenamedAndReplacedInItsOwnDirectory() async throws {
        let domain = try await Self.domain()
        try await domain.rename("b/file", "b/other")
        try await domain.save("a/file", "three")
        try await domain.settle()
        try await Self.expectSame(
            domain, ["a/file": "three", "a/inner/two": "two", "b/other": "one", "b/inner/one": "one"])
    }

    @Test(arguments: ["a", "b"]) func aDirectoryIsListedFromItsOwnDirectory(first: String) async throws {
        let domain = try await Self.domain()
        domain.provider.release(.currentAnchor)
        let texts = ["a": "two", "b": "one"]
        for folder in [first, first == "a" ? "b" : "a"] {
            let inner = try await domain.item(folder + "/inner").number
            try await domain.list(inner)
            #expect(try domain.names(in: inner) == [texts[folder]])
        }
        try await Self.expectSame(
            domain, ["a/file": "two", "a/inner/two": "two", "b/file": "one", "b/inner/one": "one"])
    }

    /// One directory is listed, and the provider reports items by identifiers that the other one's items have in the
    /// index.
    @Test(arguments: ["a", "b"]) func theListingOfOneDirectoryLeavesTheOtherItsItems(first: String) async throws {
        let domain = try await Self.domain()
        let second = first == "a" ? "b" : "a"
        let numbers = [
            try await domain.item("a/file").number, try await domain.item("b/file").number,
            try await domain.item("a/inner").number, try await domain.item("b/inner").number,
        ]
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                guard request == .currentAnchor(of: "/" + second) else { return }
                throw .of(.serverUnreachable)
            }
        }
        domain.provider.release(.currentAnchor)
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.item(first + "/file").item.identifier == "/\(first)/file"
        }
        // The other directory's file is removed while it has no certain identifier.
        try await domain.remove(second + "/file")
        try await domain.settle()
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        let texts = ["a": "two", "b": "one"]
        try await Self.expectSame(
            domain, [first + "/file": texts[first, default: ""], "a/inner/two": "two", "b/inner/one": "one"])
        #expect(try await domain.item(first + "/file").number == numbers[first == "a" ? 0 : 1])
        #expect(try await domain.item("a/inner").number == numbers[2])
        #expect(try await domain.item("b/inner").number == numbers[3])
    }
}
