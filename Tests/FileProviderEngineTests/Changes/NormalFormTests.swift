import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of items in one directory whose names differ only in their Unicode normal form. If identifiers are paths, the
/// identifiers differ only in their normal form, too.
@Suite(.ownThreads) struct NormalFormTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"
    private static let forms = [composed, decomposed]

    /// Creates a domain that has a directory for each form. Each directory has a file that contains the name of the
    /// form.
    private static func domain(_ arePaths: Bool, _ forms: [String] = NormalFormTests.forms) throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = arePaths }
        for form in forms { domain.provider.addFile("file", Self.text(form), in: domain.provider.addFolder(form)) }
        return domain
    }

    private static func text(_ form: String) -> String { form.hasSameBytes(as: composed) ? "composed" : "decomposed" }

    private static func tree(_ entries: KeyValuePairs<String, String>) -> [ExactText: String] {
        Dictionary(entries.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    }

    /// Lists everything, and follows the change feed from then on.
    private static func follow(_ domain: TestDomain) async throws {
        _ = try await domain.exactTree()
        try await domain.settleOnProvider()
    }

    /// Expects that the engine settles on the provider's tree without an event, and knows each item by the provider's
    /// current identifier.
    private static func expectSame(
        _ domain: TestDomain, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        #expect(try await domain.status().events.isEmpty, sourceLocation: sourceLocation)
        for path in domain.provider.exactTree.keys {
            let row = try await domain.item(path.string)
            let identifier = try #require(domain.provider.identifier(at: path.string))
            #expect(row.item.identifier.hasSameBytes(as: identifier), sourceLocation: sourceLocation)
            #expect(row.item.filename.hasSameBytes(as: row.name), sourceLocation: sourceLocation)
            #expect(row.changes.isEmpty, sourceLocation: sourceLocation)
        }
    }

    /// Expects that no contents were transferred after the first `count` requests.
    private static func expectNothingTransferred(_ domain: TestDomain, since count: Int) {
        let kinds: Set<MemoryProvider.Kind> = [.contents, .part, .create, .replaceContents]
        #expect(!domain.provider.requests.dropFirst(count).contains { kinds.contains($0.kind) })
    }

    @Test(arguments: [false, true]) func bothAreListedAndRead(arePaths: Bool) async throws {
        let domain = try Self.domain(arePaths)
        try await Self.follow(domain)
        try await Self.expectSame(domain)
        #expect(try await domain.read(Self.composed + "/file") == "composed")
        #expect(try await domain.read(Self.decomposed + "/file") == "decomposed")
        #expect(try domain.names().count == 2)
    }

    @Test(arguments: [false, true], ["by others", "here"])
    func aFolderIsRenamedFromOneFormToTheOther(arePaths: Bool, _ way: String) async throws {
        let domain = try Self.domain(arePaths, [Self.composed])
        try await Self.follow(domain)
        let number = try await domain.item(Self.composed + "/file").number
        let count = domain.provider.requests.count
        for (old, new) in [(Self.composed, Self.decomposed), (Self.decomposed, Self.composed)] {
            if way == "here" {
                try await domain.rename(old, new)
            } else {
                domain.provider.rename(try #require(domain.provider.identifier(at: old)), to: new)
            }
            try await Self.expectSame(domain)
            #expect(domain.provider.exactTree == Self.tree([new: "/", new + "/file": "composed"]))
            #expect(try await domain.item(new + "/file").number == number)
        }
        Self.expectNothingTransferred(domain, since: count)
    }

    @Test(arguments: [false, true], ["by others", "here"])
    func theFormsChangePlaces(arePaths: Bool, _ way: String) async throws {
        let domain = try Self.domain(arePaths)
        try await Self.follow(domain)
        for (old, new) in [
            (Self.composed, "other"), (Self.decomposed, Self.composed), ("other", Self.decomposed),
        ] {
            if way == "here" {
                try await domain.rename(old, new)
            } else {
                domain.provider.rename(try #require(domain.provider.identifier(at: old)), to: new)
            }
        }
        try await Self.expectSame(domain)
        #expect(try await domain.read(Self.composed + "/file") == "decomposed")
        #expect(try await domain.read(Self.decomposed + "/file") == "composed")
    }

    @Test(arguments: [false, true], ["by others", "here"])
    func oneOfTheTwoIsRemoved(arePaths: Bool, _ way: String) async throws {
        try await Self.remove(Self.composed, leaving: Self.decomposed, way, arePaths)
        try await Self.remove(Self.decomposed, leaving: Self.composed, way, arePaths)
    }

    private static func remove(
        _ gone: String, leaving left: String, _ way: String, _ arePaths: Bool
    ) async throws {
        let domain = try Self.domain(arePaths)
        try await Self.follow(domain)
        let number = try await domain.item(left + "/file").number
        if way == "here" {
            try await domain.remove(gone + "/file")
            try await domain.removeFolder(gone)
        } else {
            domain.provider.remove(try #require(domain.provider.identifier(at: gone)))
        }
        try await Self.expectSame(domain)
        #expect(domain.provider.exactTree == Self.tree([left: "/", left + "/file": Self.text(left)]))
        #expect(try await domain.item(left + "/file").number == number)
    }

    @Test(arguments: [false, true], TestDomain.Restart.allCases)
    func anEditInEachArrives(arePaths: Bool, _ restart: TestDomain.Restart) async throws {
        let domain = try Self.domain(arePaths)
        try await Self.follow(domain)
        for kind in [MemoryProvider.Kind.replaceContents, .create] { domain.provider.hold(kind) }
        for form in Self.forms {
            try await domain.overwrite(form + "/file", "edited " + Self.text(form))
            try await domain.make(form + "/new", "new " + Self.text(form))
        }
        try domain.restart(restart)
        for kind in [MemoryProvider.Kind.replaceContents, .create] { domain.provider.release(kind) }
        try await Self.expectSame(domain)
        #expect(
            domain.provider.exactTree
                == Self.tree([
                    Self.composed: "/", Self.composed + "/file": "edited composed",
                    Self.composed + "/new": "new composed", Self.decomposed: "/",
                    Self.decomposed + "/file": "edited decomposed", Self.decomposed + "/new": "new decomposed",
                ]))
    }

    @Test(arguments: [false, true])
    func editsInAFolderThatIsRenamedMeanwhileArriveInIt(arePaths: Bool) async throws {
        let domain = try Self.domain(arePaths, [Self.composed])
        try await Self.follow(domain)
        domain.provider.hold(.move)
        try await domain.rename(Self.composed, Self.decomposed)
        // A new directory takes the former name before the provider replies.
        try await domain.makeFolder(Self.composed)
        for form in Self.forms { try await domain.make(form + "/new", Self.text(form)) }
        try await domain.overwrite(Self.decomposed + "/file", "edited")
        domain.provider.release(.move)
        try await Self.expectSame(domain)
        #expect(
            domain.provider.exactTree
                == Self.tree([
                    Self.composed: "/", Self.composed + "/new": "composed", Self.decomposed: "/",
                    Self.decomposed + "/new": "decomposed", Self.decomposed + "/file": "edited",
                ]))
    }

    @Test(arguments: [false, true], ["by others", "here"])
    func filesMoveFromOneToTheOther(arePaths: Bool, _ way: String) async throws {
        let domain = try Self.domain(arePaths)
        try await Self.follow(domain)
        let number = try await domain.item(Self.composed + "/file").number
        if way == "here" {
            try await domain.rename(Self.composed + "/file", Self.decomposed + "/moved")
        } else {
            domain.provider.rename(
                try #require(domain.provider.identifier(at: Self.composed + "/file")), to: "moved",
                in: domain.provider.identifier(at: Self.decomposed))
        }
        try await Self.expectSame(domain)
        #expect(
            domain.provider.exactTree
                == Self.tree([
                    Self.composed: "/", Self.decomposed: "/", Self.decomposed + "/file": "decomposed",
                    Self.decomposed + "/moved": "composed",
                ]))
        let moved = try await domain.item(Self.decomposed + "/moved").number
        #expect(way != "here" || moved == number)
    }

    /// The file is renamed while its creation is under way, so that its new name is its only change.
    @Test(arguments: [false, true]) func aNewFileIsRenamedFromOneFormToTheOther(arePaths: Bool) async throws {
        let domain = try Self.domain(arePaths, [])
        try await domain.list()
        domain.provider.hold(.create)
        try await domain.make(Self.composed, "text")
        try await domain.rename(Self.composed, Self.decomposed)
        #expect(try domain.names().map { ExactText($0) } == [ExactText(Self.decomposed)])
        domain.provider.release(.create)
        try await Self.expectSame(domain)
        #expect(domain.provider.exactTree == Self.tree([Self.decomposed: "text"]))
    }

    @Test func aSignalOfOneFolderDoesNotCountAsOneOfTheOther() async throws {
        let domain = try Self.domain(true)
        domain.provider.behave { $0.hasWorkingSet = false }
        for form in Self.forms { try await domain.list(try await domain.item(form).number) }
        let identifiers = try Self.forms.map { try #require(domain.provider.identifier(at: $0)) }
        for identifier in identifiers { domain.provider.addFile("new", "new", in: identifier) }
        domain.provider.hold(.changes)
        domain.engine.signal(container: identifiers[0])
        try await eventually { domain.provider.heldCount(.changes) == 1 }
        domain.engine.signal(container: identifiers[1])
        try await eventually { domain.provider.heldCount(.changes) == 2 }
        domain.provider.release(.changes)
        for form in Self.forms {
            let folder = try await domain.item(form).number
            try await eventually { try domain.names(in: folder).contains("new") }
        }
    }

    @Test(arguments: [false, true]) func bothGoToTheTrashAndComeBack(arePaths: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = arePaths }
        for form in Self.forms { domain.provider.addFile(form, Self.text(form)) }
        try await Self.follow(domain)
        for form in Self.forms {
            try await domain.engine.doing { engine in try engine.localTrash.trash(form, in: .root, as: form, engine) }
        }
        try await domain.settle()
        try await eventually { try domain.engine.trashed().count == 2 }
        for form in Self.forms {
            let node = try await domain.engine.doing { engine in try engine.localTrash.item(named: form) }
            let found = try #require(node)
            #expect(found.name.hasSameBytes(as: form))
            #expect(found.item?.filename.hasSameBytes(as: form) == true)
            let note = try await domain.engine.doing { engine in
                try engine.localTrash.infoFile(named: form + LocalTrash.infoSuffix)
            }
            #expect(note?.number == found.number)
            try await domain.engine.restoreFromTrash(found.number, named: form)
        }
        try await Self.expectSame(domain)
        #expect(domain.provider.exactTree == Self.tree([Self.composed: "composed", Self.decomposed: "decomposed"]))
    }
}

extension DomainEngine {
    /// Moves an item out of the local view of the trash into the root.
    fileprivate func restoreFromTrash(_ number: Int64, named name: String) async throws {
        try await localTrash.restore(number, to: .root, named: name, self)
    }
}
