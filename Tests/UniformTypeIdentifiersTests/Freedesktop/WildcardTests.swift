import FileTesting
import Glibc
import Testing
import UniformTypeIdentifiers

/// Shell wildcards.
struct WildcardTests {
    private func matches(_ pattern: String, _ name: String, foldingCase: Bool = false) -> Bool {
        Array(pattern.utf8).withUnsafeBytes { pattern in
            Array(name.utf8).withUnsafeBytes { Wildcard.matches(pattern, $0, foldingCase: foldingCase) }
        }
    }

    @Test(arguments: [
        ("*", "", true), ("*", "abc", true), ("a*c", "abc", true), ("a*c", "abd", false), ("?", "", false),
        ("?", "ä", true), ("??", "ä", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[]]", "]", true),
        ("[a-]", "-", true), ("[", "[", true), ("[ab", "a", false), ("\\*", "*", true), ("\\*", "a", false),
        ("*.so.[0-9]*", "libc.so.6", true), ("*.so.[0-9]*", "libc.so.x.so.1", true), ("a**b", "aXXb", true),
    ])
    func aPatternMatchesAsInAShell(pattern: String, name: String, isMatch: Bool) {
        #expect(matches(pattern, name) == isMatch)
    }

    @Test func upperCaseInANameIsFoldedOnRequest() {
        #expect(matches("readme*", "README.md", foldingCase: true))
        #expect(!matches("readme*", "README.md"))
    }

    @Test func randomPatternsMatchWhatTheCLibraryMatches() {
        var random = RandomNumbers(seed: 7)
        let pieces = ["a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-c]", "\\*"]
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let name = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                ["a", "b", "c", ".", "*"].randomElement(using: &random) ?? ""
            }
            .joined()
            #expect(matches(pattern, name) == (fnmatch(pattern, name, 0) == 0), "\(pattern) \(name)")
        }
    }

    @Test func aPatternOfManyStarsEndsSoon() {
        let pattern = String(repeating: "*a", count: 100) + "b"
        #expect(!matches(pattern, String(repeating: "a", count: 5000)))
    }
}
