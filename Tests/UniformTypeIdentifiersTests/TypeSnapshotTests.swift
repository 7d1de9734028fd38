import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

/// Snapshots that are built by hand and not registered, so that no other test is affected.
@Suite struct TypeSnapshotTests {
    private func declaration(
        _ identifier: String, exported: Bool = true, _ parents: [String] = ["public.data"], extensions: [String] = [],
        mimeTypes: [String] = [], description: String? = nil
    ) -> TypeDeclaration {
        TypeDeclaration(
            identifier: identifier, isExported: exported, parents: parents,
            tags: ["public.filename-extension": extensions, "public.mime-type": mimeTypes], description: description)
    }

    private func snapshot(_ declarations: [TypeDeclaration]) -> TypeSnapshot {
        var interned = InternedIdentities()
        return TypeSnapshot(declarations: declarations, faults: [], interned: &interned)
    }

    private func identifiers(
        _ snapshot: TypeSnapshot, _ tag: String, _ tagClass: UTTagClass = .filenameExtension
    ) -> [String] {
        var found: [String] = []
        let _: Never? = snapshot.firstIndex(withTag: tag, of: tagClass) { index in
            found.append(snapshot.identities[index].identifier)
            return nil
        }
        return found
    }

    private func properties(_ snapshot: TypeSnapshot, _ identifier: String) throws -> TypeProperties {
        try snapshot.properties[#require(snapshot.index(ofIdentifier: identifier))]
    }

    @Test func theFirstDeclarationOfATagComesFirstAndTheSystemsLast() {
        let built = snapshot([
            declaration("com.example.first", extensions: ["JPG", "one"]),
            declaration("com.example.second", extensions: ["one", "jpg"], mimeTypes: ["image/jpeg"]),
        ])
        #expect(identifiers(built, "jpg") == ["com.example.first", "com.example.second", "public.jpeg"])
        #expect(identifiers(built, "ONE") == ["com.example.first", "com.example.second"])
        #expect(identifiers(built, "image/jpeg", .mimeType) == ["com.example.second", "public.jpeg"])
        #expect(identifiers(built, "jpeg") == ["public.jpeg"])
        #expect(
            built.firstType(withTag: "jpg", of: .filenameExtension, conformingTo: .image) == .jpeg)
    }

    @Test func theFirstOfTwoDeclarationsCounts() throws {
        let built = snapshot([
            declaration("com.example.Type", ["public.text"], extensions: ["one"], description: "first"),
            declaration("COM.example.type", ["public.image"], extensions: ["two"], description: "second"),
        ])
        let properties = try properties(built, "com.EXAMPLE.type")
        #expect(properties.description == "first" && properties.extensions == ["one"])
        #expect(identifiers(built, "two") == [])
        #expect(
            built.index(ofIdentifier: "com.example.type").map { built.identities[$0].identifier } == "com.example.Type")
    }

    @Test func aTypeOfTheSystemGainsButLosesNothing() throws {
        let built = snapshot([
            declaration("public.JSON", ["com.example.tree"], extensions: ["json5", "JSON"], description: "mine"),
            declaration("com.example.tree", ["public.content"]),
        ])
        let json = try properties(built, "public.json")
        #expect(json.extensions == ["json", "json5"] && json.mimeTypes == ["application/json"])
        #expect(json.description == "JSON document")
        #expect(identifiers(built, "json5") == ["public.json"])
        let tree = try #require(built.index(ofIdentifier: "com.example.tree"))
        let text = try #require(built.index(ofIdentifier: "public.text"))
        #expect(json.conforms(to: tree) && json.conforms(to: text))
        // The types beneath conform as well, while all others are shared between snapshots.
        #expect(try properties(built, "public.geojson").conforms(to: tree))
        #expect(
            try properties(built, "public.jpeg")
                === CoreTypes.shared.properties[#require(built.index(ofIdentifier: "public.jpeg"))])
    }

    @Test(arguments: [true, false])
    func aTagThatATypeOfTheSystemHasIsNotTakenAwayByOneThatGainsIt(exported: Bool) throws {
        let built = snapshot([
            declaration(
                "public.text", exported: exported, extensions: ["jpg", "newtext"],
                mimeTypes: ["image/png", "text/x-new"]),
            declaration("public.data", exported: exported, extensions: ["txt"]),
            declaration("com.example.own", exported: exported, extensions: ["newtext"]),
        ])
        #expect(identifiers(built, "jpg") == ["public.jpeg", "public.text"])
        #expect(identifiers(built, "image/png", .mimeType) == ["public.png", "public.text"])
        #expect(identifiers(built, "txt") == ["public.plain-text", "public.data"])
        #expect(identifiers(built, "text/x-new", .mimeType) == ["public.text"])
        #expect(identifiers(built, "newtext") == ["com.example.own", "public.text"])
    }

    @Test func aChainOfParentsCostsNoMoreInOneOrderThanInTheOther() throws {
        let count = 5000
        let chain = (0..<count).map { number in
            declaration("com.example.t\(number)", [number + 1 < count ? "com.example.t\(number + 1)" : "public.text"])
        }
        for declarations in [chain, chain.reversed()] {
            let built = snapshot(declarations)
            let first = try properties(built, "com.example.t0")
            let last = try #require(built.index(ofIdentifier: "com.example.t\(count - 1)"))
            let content = try #require(built.index(ofIdentifier: "public.data"))
            #expect(first.conforms(to: last) && first.conforms(to: content))
            #expect(try !properties(built, "com.example.t\(count - 1)").conforms(to: first.parents[0]))
        }
    }

    @Test func soManyTypesAndParentsAsNoMachineHasAreCutShort() async {
        await #expect(processExitsWith: .success) {
            // A limit far below the memory for a bit matrix of a quarter of a million types.
            var memory = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
            setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &memory)
            var interned = InternedIdentities()
            let declarations = (0..<4000).map { number in
                TypeDeclaration(
                    identifier: "com.example.t\(number)", isExported: true,
                    parents: (0..<64).map { "org.example.p\(number).\($0)" } + ["public.png"])
            }
            let built = TypeSnapshot(declarations: declarations, faults: [], interned: &interned)
            let index = try #require(built.index(ofIdentifier: "com.example.t3999"))
            let png = try #require(built.index(ofIdentifier: "public.png"))
            #expect(built.properties[index].isDeclared && built.properties[index].conforms(to: png))
            #expect(built.identities.count == CoreTypes.shared.identities.count + InternedIdentities.most)
        }
    }

    @Test func snapshotsShareUnchangedParts() throws {
        var interned = InternedIdentities()
        func declarations() -> [TypeDeclaration] {
            [declaration("com.example.a", ["com.example.b"], extensions: ["exa"]), declaration("com.example.b")]
        }
        let one = TypeSnapshot(declarations: declarations(), faults: [], interned: &interned)
        let two = TypeSnapshot(
            declarations: declarations() + [declaration("com.example.c")], faults: [], interned: &interned,
            previous: one)
        #expect(try properties(one, "com.example.a") === properties(two, "com.example.a"))
        let three = TypeSnapshot(
            declarations: [declarations()[0], declaration("com.example.b", ["public.text"])], faults: [],
            interned: &interned, previous: two)
        #expect(try properties(two, "com.example.a") !== properties(three, "com.example.a"))
        let text = try #require(three.index(ofIdentifier: "public.text"))
        #expect(try properties(three, "com.example.a").conforms(to: text))
        #expect(try !properties(two, "com.example.a").conforms(to: text))
    }

    @Test func circularConformanceComesToAnEnd() throws {
        let built = snapshot([
            declaration("com.example.a", ["com.example.b"]), declaration("com.example.b", ["com.example.c"]),
            declaration("com.example.c", ["com.example.a", "com.example.c", "public.text"]),
        ])
        for (one, other) in [("a", "b"), ("b", "a"), ("c", "b"), ("a", "c")] {
            let index = try #require(built.index(ofIdentifier: "com.example.\(other)"))
            #expect(try properties(built, "com.example.\(one)").conforms(to: index))
        }
        let text = try #require(built.index(ofIdentifier: "public.text"))
        #expect(try properties(built, "com.example.b").conforms(to: text))
    }

    @Test func aParentWithoutADeclarationIsStillAParent() throws {
        let built = snapshot([declaration("com.example.child", ["com.example.Missing", "public.data"])])
        let missing = try #require(built.index(ofIdentifier: "com.example.missing"))
        #expect(!built.properties[missing].isDeclared)
        #expect(try properties(built, "com.example.child").conforms(to: missing))
    }

    @Test func typesKeepTheirPlaceFromSnapshotToSnapshot() throws {
        var interned = InternedIdentities()
        let one = TypeSnapshot(
            declarations: [declaration("com.example.a"), declaration("com.example.b")], faults: [], interned: &interned)
        let two = TypeSnapshot(
            declarations: [declaration("com.example.c"), declaration("com.example.b")], faults: [], interned: &interned)
        let first = try #require(one.index(ofIdentifier: "com.example.b"))
        let second = try #require(two.index(ofIdentifier: "com.example.b"))
        #expect(first == second && one.identities[first] === two.identities[second])
        #expect(two.index(ofIdentifier: "com.example.a") == nil)
        let gone = try #require(one.index(ofIdentifier: "com.example.a"))
        #expect(!two.properties[gone].isDeclared)
    }

    @Test func manyDeclarationsAreAllFound() {
        let declarations = (0..<3000).map { number in
            declaration("com.example.t\(number)", ["com.example.t\(number / 2)"], extensions: ["e\(number)", "all"])
        }
        let built = snapshot(declarations)
        for number in stride(from: 0, to: 3000, by: 37) {
            #expect(identifiers(built, "E\(number)") == ["com.example.t\(number)"])
        }
        #expect(identifiers(built, "all").count == 3000)
        #expect(identifiers(built, "e3000") == [])
    }
}
