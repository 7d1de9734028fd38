import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct TypeDeclarationTests {
    private func read(_ plist: String) throws -> (declarations: [TypeDeclaration], faults: [DeclarationError]) {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>\(plist)</dict></plist>
            """
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        return try TypeDeclaration.declarations(in: #require(list as? [String: Any]), source: "test")
    }

    @Test func listsAreWrittenAsArraysOrAsOneString() throws {
        let (declarations, faults) = try read(
            """
            <key>UTExportedTypeDeclarations</key><array>
              <dict>
                <key>UTTypeIdentifier</key><string>com.example.one</string>
                <key>UTTypeConformsTo</key><string>public.text</string>
                <key>UTTypeDescription</key><string>One</string>
                <key>UTTypeVersion</key><integer>4</integer>
                <key>UTTypeReferenceURL</key><string>https://example.com/one</string>
                <key>UTTypeIconFiles</key><array><string>one.icns</string></array>
                <key>UTTypeTagSpecification</key><dict>
                  <key>public.filename-extension</key><string>one</string>
                  <key>public.mime-type</key><array><string>text/x-one</string><string>text/one</string></array>
                </dict>
              </dict>
            </array>
            <key>UTImportedTypeDeclarations</key><array>
              <dict>
                <key>UTTypeIdentifier</key><string>com.example.two</string>
                <key>UTTypeConformsTo</key><array><string>public.data</string><string>public.content</string></array>
                <key>UTTypeVersion</key><string>7</string>
              </dict>
            </array>
            """)
        #expect(faults.isEmpty)
        var one = TypeDeclaration(
            identifier: "com.example.one", isExported: true, parents: ["public.text"],
            tags: ["public.filename-extension": ["one"], "public.mime-type": ["text/x-one", "text/one"]],
            description: "One")
        one.version = 4
        one.referenceURL = URL(string: "https://example.com/one")
        var two = TypeDeclaration(
            identifier: "com.example.two", isExported: false, parents: ["public.data", "public.content"])
        two.version = 7
        #expect(declarations == [one, two])
    }

    @Test(arguments: [
        ("<string>x</string>", "not an array"),
        ("<array><string>x</string></array>", "not a dictionary"),
        ("<array><dict/></array>", "UTTypeIdentifier is missing"),
        ("<array><dict><key>UTTypeIdentifier</key><integer>1</integer></dict></array>", "UTTypeIdentifier is missing"),
        ("<array><dict><key>UTTypeIdentifier</key><string>a b</string></dict></array>", "not a type identifier"),
        ("<array><dict><key>UTTypeIdentifier</key><string>dyn.age8u</string></dict></array>", "not a type identifier"),
        (
            "<array><dict><key>UTTypeIdentifier</key><string>a.b</string><key>UTTypeConformsTo</key><true/></dict></array>",
            "UTTypeConformsTo of a.b"
        ),
        (
            """
            <array><dict><key>UTTypeIdentifier</key><string>a.b</string>
            <key>UTTypeTagSpecification</key><string>x</string></dict></array>
            """, "UTTypeTagSpecification of a.b"
        ),
        (
            """
            <array><dict><key>UTTypeIdentifier</key><string>a.b</string><key>UTTypeTagSpecification</key>
            <dict><key>public.filename-extension</key><string>../x</string></dict></dict></array>
            """, "is not a filename extension"
        ),
    ])
    func aFaultyEntryIsLeftOutAndNamed(value: String, reason: String) throws {
        let good = "<dict><key>UTTypeIdentifier</key><string>com.example.good</string></dict>"
        let (declarations, faults) = try read(
            """
            <key>UTExportedTypeDeclarations</key>\(value)
            <key>UTImportedTypeDeclarations</key><array>\(good)</array>
            """)
        #expect(declarations.map(\.identifier) == ["com.example.good"])
        #expect(faults.count == 1 && faults[0].source == "test" && faults[0].reason.contains(reason))
        #expect(faults[0].description.hasPrefix("test: "))
    }

    /// Reads one exported declaration `a.b` with additional keys.
    private func readEntry(_ entry: [String: Any]) -> (declarations: [TypeDeclaration], faults: [DeclarationError]) {
        let entry = entry.merging(["UTTypeIdentifier": "a.b"]) { one, _ in one }
        return TypeDeclaration.declarations(in: ["UTExportedTypeDeclarations": [entry]], source: "test")
    }

    @Test(arguments: [
        "", "a b/../c\n", "dyn.ah62d4rv4ge80k5p2", "DYN.x", String(repeating: "a", count: 256),
    ])
    func aParentThatCannotBeDeclaredIsAFault(parent: String) {
        let (declarations, faults) = readEntry(["UTTypeConformsTo": ["public.data", parent]])
        #expect(declarations.isEmpty && faults.count == 1)
        #expect(faults.allSatisfy { $0.reason.contains("UTTypeConformsTo of a.b") && !$0.reason.contains("\n") })
    }

    @Test(arguments: [
        ("public.filename-extension", ""), ("public.filename-extension", "."), ("public.filename-extension", ".."),
        ("public.filename-extension", "a/b"), ("public.mime-type", "nonsense"), ("public.mime-type", "a/b\nX: y"),
        ("public.mime-type", ""), ("com.apple.ostype", ""), ("", "x"), ("com.apple.ostype", "a\0b"),
        ("public.filename-extension", String(repeating: "a", count: 256)),
    ])
    func aTagThatCanBeNoneOfItsClassIsAFault(tagClass: String, tag: String) {
        let (declarations, faults) = readEntry(["UTTypeTagSpecification": [tagClass: [tag]]])
        #expect(declarations.isEmpty && faults.count == 1)
        #expect(faults.allSatisfy { $0.reason.contains("of a.b is not") && !$0.reason.contains("\n") })
    }

    @Test func tagsAsTheyAreFoundAreTaken() {
        let (declarations, faults) = readEntry([
            "UTTypeTagSpecification": [
                "public.filename-extension": ["tar.gz", "C++", "ä"], "public.mime-type": "text/x-a; charset=utf-8",
                "com.apple.ostype": ["****", "PNGf"],
            ] as [String: Any]
        ])
        #expect(declarations.count == 1 && faults.isEmpty)
    }

    @Test func moreThanAnyBundleDeclaresIsAFault() {
        let parents = readEntry(["UTTypeConformsTo": (0..<65).map { "a.p\($0)" }])
        #expect(parents.declarations.isEmpty && parents.faults.count == 1)
        let tags = readEntry(["UTTypeTagSpecification": ["public.filename-extension": (0..<513).map { "e\($0)" }]])
        #expect(tags.declarations.isEmpty && tags.faults.count == 1)
        let (declarations, faults) = TypeDeclaration.declarations(
            in: ["UTImportedTypeDeclarations": (0..<1200).map { ["UTTypeIdentifier": "a.t\($0)"] }], source: "test")
        #expect(declarations.count == 1000 && faults.count == 1)
    }
}
