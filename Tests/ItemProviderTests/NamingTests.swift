import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

@Suite struct NamingTests {
    private func name(_ suggested: String?, file: String? = nil, _ type: UTType = .png) -> String {
        ItemName.name(suggested: suggested, file: file, typeIdentifier: type.identifier)
    }

    @Test func theSuggestedNameComesFirst() {
        #expect(name("Holiday.png", file: "IMG_1.png") == "Holiday.png")
    }

    @Test func withoutASuggestedNameTheFilesOwnIsKept() {
        #expect(name(nil, file: "IMG_1.png") == "IMG_1.png")
    }

    @Test func withoutAnyNameTheTypesDescriptionIsUsed() throws {
        let description = try #require(UTType.png.localizedDescription)
        #expect(name(nil) == "\(description).png")
    }

    @Test func anUndeclaredTypeGivesItsIdentifier() {
        #expect(ItemName.name(suggested: nil, file: nil, typeIdentifier: "com.example.x") == "com.example.x")
    }

    @Test func theTypesExtensionIsAddedWhenItIsMissing() {
        #expect(name("Holiday") == "Holiday.png")
        #expect(name("Holiday.v2") == "Holiday.v2.png")
        #expect(name("Holiday.txt") == "Holiday.txt.png")
    }

    @Test(arguments: [("x.tar.gz", "org.gnu.gnu-zip-tar-archive"), ("Makefile", "public.make-source")])
    func aNameThatTellsTheTypeAsAWholeIsKept(name: String, identifier: String) {
        #expect(ItemName.name(suggested: name, file: nil, typeIdentifier: identifier) == name)
    }

    @Test func theNameOfAHiddenFileHasNoExtension() {
        #expect(name(".bashrc", .plainText) == ".bashrc")
        #expect(name(".bashrc.txt", .png) == ".bashrc.txt.png")
    }

    @Test(arguments: [
        ("a.jpg", UTType.jpeg), ("a.JPEG", .jpeg), ("a.png", .image), ("a.swift", .plainText), ("a", .data),
    ])
    func anExtensionThatAlreadyMeansTheTypeIsLeftAlone(suggested: String, type: UTType) {
        #expect(name(suggested, type) == suggested)
    }

    @Test(arguments: [
        ("readme.md", UTType.plainText), ("notes.qqq", .plainText), ("notes.qqq", .utf8PlainText),
        ("photo.qqq-8", .png),
    ])
    func anExtensionOfAKindThatIsDeclaredNowhereIsKept(suggested: String, type: UTType) {
        #expect(name(suggested, type) == suggested)
    }

    @Test(arguments: ["Report 2.0", "Report.v12", "Ask Dr. Qqq", "And so on…"])
    func numbersAndWordsAreNoExtensions(suggested: String) {
        #expect(name(suggested, .pdf) == suggested + ".pdf")
    }

    @Test func aNameThatAnotherProgramChoseIsNotThatOfAHiddenFile() {
        #expect(ItemName.visible(".bashrc") == "_bashrc")
        #expect(ItemName.visible("..a.txt") == "_a.txt")
        #expect(ItemName.visible("a.txt") == "a.txt")
    }

    @Test func separatorsAndControlCharactersAreReplaced() {
        #expect(name("a/b\u{0}c\nd.png") == "a_b_c_d.png")
        #expect(name("../../etc/passwd") == ".._.._etc_passwd.png")
    }

    @Test(arguments: ["", ".", ".."])
    func aNameThatCannotBeAFileGivesWayToTheNext(suggested: String) {
        #expect(name(suggested, file: "IMG_1.png") == "IMG_1.png")
    }

    @Test func aLongNameIsCutAtACharacterAndKeepsItsExtension() {
        let long = name(String(repeating: "ä", count: 150) + ".png")
        #expect(long.utf8.count <= 255)
        #expect(long.hasSuffix("ä.png"))
        #expect(name(String(repeating: "x", count: 300)).utf8.count == 255)
        #expect(name(String(repeating: "👨‍👩‍👧", count: 40)).hasSuffix("👨‍👩‍👧.png"))
    }

    @Test func anExtensionOfAbsurdLengthIsCutLikeTheRest() {
        let long = name("a." + String(repeating: "x", count: 400), .data)
        #expect(long.utf8.count == 255)
    }

    @Test func aCopiedFileCarriesTheSuggestedName() async throws {
        let scratch = try Scratch()
        let provider = NSItemProvider(contentsOf: try scratch.file("IMG_1.png"), contentType: .png)
        #expect(provider.suggestedName == "IMG_1.png")
        provider.suggestedName = "Summer/2026"
        #expect(await provider.copy("public.png").name == "Summer_2026.png")
    }

    @Test func aNumberGoesBeforeTheExtensionAndMakesNoNameTooLong() {
        #expect(ItemName.numbered("a.png", 2) == "a 2.png")
        #expect(ItemName.numbered("a", 10) == "a 10")
        #expect(ItemName.numbered(".profile", 2) == ".profile 2")
        let long = String(repeating: "é", count: 125) + "a.png"
        #expect(ItemName.numbered(long, 2) == String(repeating: "é", count: 124) + " 2.png")
        #expect(ItemName.numbered(String(repeating: "a", count: 255), 100).utf8.count == 255)
    }
}
