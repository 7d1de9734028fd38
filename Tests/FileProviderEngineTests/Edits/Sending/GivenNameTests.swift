import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of providers that store an item under another name than it was sent with, or whose items another client
/// renames before the reply. No feed reports that name afterwards.
@Suite(.ownThreads) struct GivenNameTests {

    /// Makes the provider reply with another name to an item that is sent with the name `sent`.
    private func give(_ name: String, to sent: String, in domain: TestDomain) {
        let provider = domain.provider
        @Sendable func named(_ item: ProviderItem) -> ProviderItem {
            guard item.filename == sent else { return item }
            provider.rename(item.identifier, to: name)
            provider.forgetChanges(of: [item.identifier])
            return provider.item(of: item.identifier) ?? item
        }
        provider.behave { behaviour in
            behaviour.created = named
            behaviour.moved = named
        }
    }

    @Test(arguments: ["file", "folder", "link", "empty file"])
    func createdItemsGetTheProvidersName(_ kind: String) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("given", "there")
        give("as given", to: "made", in: domain)
        domain.provider.hold(.create)
        switch kind {
        case "folder":
            try await domain.makeFolder("made")
            try await domain.make("made/inner", "text")
        case "link": try await domain.makeLink("made", to: "given")
        case "file": try await domain.make("made", "text")
        default: try await domain.make("made", "")
        }
        let number = try await domain.item("made").number
        domain.provider.release(.create)
        try await domain.settle()
        try await eventually { try domain.row(number).name == "as given" }
        #expect(try await domain.tree() == domain.provider.tree)
        #expect(domain.provider.tree["as given"] != nil)
        // Later local edits reach the item at the provider.
        domain.provider.behave { ($0.created, $0.moved) = (nil, nil) }
        try await domain.rename("as given", "renamed")
        try await domain.settle()
        #expect(try await domain.tree() == domain.provider.tree)
        #expect(domain.provider.tree["renamed"] != nil && domain.provider.tree["as given"] == nil)
    }

    @Test func movedItemsGetTheProvidersName() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "text")
        domain.provider.addFolder("folder")
        give("as given", to: "moved", in: domain)
        try await domain.rename("file", "folder/moved")
        try await domain.settle()
        #expect(domain.provider.tree == ["folder": "/", "folder/as given": "text"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aNameThatIsTakenHereIsNotTakenTwice() async throws {
        let domain = try TestDomain()
        domain.provider.hold(.create)
        try await domain.make("made", "one")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.create) == 1
        }
        try await domain.make("as given", "two")
        give("as given", to: "made", in: domain)
        let (one, two) = (try await domain.item("made").number, try await domain.item("as given").number)
        domain.provider.release(.create)
        try await domain.settle()
        #expect(try domain.row(one).name != "made")
        #expect(try domain.row(one).name != domain.row(two).name)
        #expect(try await domain.read(one) == "one")
        #expect(try await domain.read(two) == "two")
    }

    /// A reply with the same name in another Unicode normalization form keeps the local form.
    @Test func aNameInAnotherNormalFormStaysAsItWasMade() async throws {
        let (composed, decomposed) = ("r\u{E9}sum\u{E9}", "re\u{301}sume\u{301}")
        let domain = try TestDomain()
        give(composed, to: decomposed, in: domain)
        let number = try await domain.make(decomposed, "text")
        try await domain.settle()
        #expect(try domain.row(number).name.hasSameBytes(as: decomposed))
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        #expect(try domain.row(number).name.hasSameBytes(as: decomposed))
    }
}
