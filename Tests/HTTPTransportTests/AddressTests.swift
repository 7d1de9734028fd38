import HTTPTransport
import Testing

struct AddressTests {
    @Test(
        arguments: [
            ("HTTPS://Cloud.Example:443/a/../b/./c", "https://cloud.example/b/c"),
            ("http://cloud.example", "http://cloud.example/"),
            ("http://cloud.example:8080/x?y=z#part", "http://cloud.example:8080/x?y=z"),
            ("https://[::1]:8443/a%2Fb/%C3%A4", "https://[::1]:8443/a%2Fb/%C3%A4"),
        ])
    func `an address is normalized`(text: String, expected: String) throws {
        #expect(try HTTPAddress(text).description == expected)
    }

    @Test(arguments: [
        "", "cloud", "ftp://cloud/", "https://ada:secret@cloud/", "https:///x", "https://cloud:99999/", "/x",
    ])
    func `an address without a server is refused`(text: String) {
        #expect(throws: HTTPError.self) { try HTTPAddress(text) }
    }

    @Test(
        arguments: [
            ("/d", "https://cloud.example/d"), ("e", "https://cloud.example/a/b/e"),
            ("../e", "https://cloud.example/a/e"),
            ("//other.example/", "https://other.example/"), ("http://other.example/x", "http://other.example/x"),
            ("?q", "https://cloud.example/a/b/c?q"), ("/d e/ä", "https://cloud.example/d%20e/%C3%A4"),
        ])
    func `a reference is resolved`(reference: String, expected: String) throws {
        let base = try HTTPAddress("https://cloud.example/a/b/c?d")
        #expect(try base.resolving(reference).description.lowercased() == expected.lowercased())
    }

    @Test func `a reference with a password is refused`() throws {
        let base = try HTTPAddress("https://cloud.example/")
        #expect(throws: HTTPError.self) { try base.resolving("https://ada:secret@cloud.example/") }
    }

    @Test(arguments: ["Plan #1.txt", "100%", "a+b", "tab\t", "ä", "a\u{308}", "a/b", "?", "\u{FEFF}x", "%41"])
    func `a name survives its encoding`(name: String) throws {
        let directory = try HTTPAddress("https://cloud.example/files")
        let address = try directory.appending(name)
        let last = try #require(address.path.split(separator: "/").last.map(String.init))
        #expect(Array(try #require(last.percentDecoded).utf8) == Array(name.utf8))
        #expect(try HTTPAddress(address.description) == address)
    }

    @Test(arguments: ["", ".", ".."])
    func `a name that means another directory is refused`(name: String) throws {
        let directory = try HTTPAddress("https://cloud.example/files/")
        #expect(throws: HTTPError.self) { try directory.appending(name) }
    }

    @Test func `origins differ by scheme, host and port`() throws {
        let origins = try ["http://a/", "https://a/", "https://a:444/", "https://b/"].map { try HTTPAddress($0).origin }
        #expect(Set(origins).count == 4)
        #expect(try HTTPAddress("https://A:443/x").origin == origins[1])
    }

    @Test(arguments: ["%4", "%", "%zz", "%ff"])
    func `text that is not encoded is not decoded`(text: String) { #expect(text.percentDecoded == nil) }
}
