import Testing
import UniformTypeIdentifiers

/// Types by all known properties of a file, in the specification's recommended order.
struct FreedesktopGuessTests {
    private typealias Pattern = MIMECacheBuilder.Pattern

    private let database: MIMEDatabase

    init() throws {
        let builder = MIMECacheBuilder(
            parents: [
                "application/msword": ["application/x-ole-storage"], "text/vnd.trolltech.linguist": ["text/plain"],
            ],
            suffixes: [
                Pattern(text: ".png", type: "image/png"), Pattern(text: ".doc", type: "application/msword"),
                Pattern(text: ".doc", type: "text/x-note", weight: 40), Pattern(text: ".ts", type: "video/mp2t"),
                Pattern(text: ".ts", type: "text/vnd.trolltech.linguist"),
                Pattern(text: ".desktop", type: "application/x-desktop"),
            ],
            rules: [
                .init(type: "application/x-ole-storage", matchlets: [.init([0xD0, 0xCF])]),
                .init(type: "video/mp2t", matchlets: [.init([0x47], at: 0)]),
                .init(type: "application/pdf", priority: 80, matchlets: [.init("%PDF-")]),
                .init(type: "application/x-desktop", matchlets: [.init("[Desktop Entry]")]),
                .init(type: "application/xml", priority: 40, matchlets: [.init("<?xml")]),
            ],
            namespaces: [
                ("http://www.w3.org/2000/svg", "svg", "image/svg+xml"), ("urn:any", "", "x/any-element"),
            ])
        database = try #require(try builder.database())
    }

    private func guess(_ name: String?, _ content: [UInt8]?) -> String {
        guard let content else { return database.guess(fileName: name, content: nil) }
        return content.withUnsafeBytes { database.guess(fileName: name, content: $0) }
    }

    private func guess(_ name: String?, _ content: String) -> String { guess(name, Array(content.utf8)) }

    @Test func aNameOfOneTypeSettlesIt() {
        #expect(guess("a.png", "%PDF-1.4") == "image/png")
        #expect(guess("a.png", nil) == "image/png")
        #expect(guess("a.png", "") == "image/png")
    }

    @Test func contentChoosesBetweenTheTypesOfAName() {
        #expect(guess("a.doc", [0xD0, 0xCF, 0, 0]) == "application/msword")
        #expect(guess("a.doc", "some text") == "text/x-note")
        #expect(guess("a.ts", [0x47, 0, 0]) == "video/mp2t")
        #expect(guess("a.ts", "<TS>") == "text/vnd.trolltech.linguist")
        #expect(guess("a.doc", nil) == "application/msword")
        #expect(guess("a.doc", "") == "application/msword")
    }

    @Test func onlyADecisiveRuleOverrulesNamesInConflict() {
        #expect(guess("a.doc", "%PDF-1.4") == "application/pdf")
        #expect(guess("a.doc", "<?xml version='1.0'?><a/>") == "application/msword")
    }

    @Test func aFileWithoutATellingNameIsItsContent() {
        #expect(guess("a", "%PDF-1.4") == "application/pdf")
        #expect(guess(nil, "%PDF-1.4") == "application/pdf")
        #expect(guess("a", "text, with\ttabs\r\n and \u{1B}[1m and ä") == "text/plain")
        #expect(guess("a", [0x61, 0x00]) == "application/octet-stream")
        #expect(guess("a", [0x61, 0x7F]) == "application/octet-stream")
        #expect(guess("a", "") == "application/x-zerosize")
        #expect(guess("a", nil) == "application/octet-stream")
        #expect(guess(nil, nil) == "application/octet-stream")
    }

    @Test func aFileIsNoLauncherUnlessItIsNamedSo() {
        #expect(guess("a.desktop", "[Desktop Entry]") == "application/x-desktop")
        #expect(guess("a", "[Desktop Entry]") == "text/plain")
        #expect(guess(nil, "[Desktop Entry]") == "application/x-desktop")
    }

    @Test func xmlIsToldByItsRootElement() {
        let svg = #"<?xml version="1.0"?><!-- <a> --><!DOCTYPE svg [<!ENTITY a "<b>">]>"#
        #expect(guess(nil, svg + #"<svg xmlns="http://www.w3.org/2000/svg">"#) == "image/svg+xml")
        #expect(guess(nil, svg + #"<s:svg a='1' xmlns:s = 'http://www.w3.org/2000/svg'/>"#) == "image/svg+xml")
        #expect(guess(nil, svg + #"<svg>"#) == "application/xml")
        #expect(guess(nil, svg + #"<html xmlns="http://www.w3.org/2000/svg">"#) == "application/xml")
        #expect(guess(nil, svg + #"<whatever xmlns="urn:any">"#) == "x/any-element")
        #expect(guess(nil, "<?xml") == "application/xml")
    }
}
