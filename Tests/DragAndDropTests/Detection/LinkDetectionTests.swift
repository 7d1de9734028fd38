import DragAndDrop
import Foundation
import Testing

@Suite struct LinkDetectionTests {
    private func links(_ text: String) -> [String] { detect(\.links, in: text).links.map(\.matchedString) }

    @Test func linksAreFoundWithTheirParts() {
        for link in [
            "https://example.com", "http://example.com/", "HTTPS://Example.COM/Path",
            "https://example.com:8080/a?b=c&d=e#f",
            "https://user:secret@example.com/x", "http://localhost:3000/api", "http://192.168.1.1/admin",
            "http://[2001:db8::1]:80/x", "ftp://ftp.example.org/pub/file.tar.gz",
            "https://en.wikipedia.org/wiki/Swift_(bird)",
            "https://example.com/a,b;c/@d/~e/%20f", "www.example.co.uk/page", "example.com", "sub.example.org:8443/x",
            "https://example.com/search?q=[a]", "news.ycombinator.com/item?id=1", "https://bücher.de/über",
        ] {
            #expect(links(link) == [link])
            #expect(
                links("See \(link), and (\(link)). \"\(link)\" <\(link)>\n\(link)!") == Array(repeating: link, count: 5)
            )
        }
    }

    @Test func linksHaveTheirURL() {
        let found = detect(\.links, in: "example.com/a and https://example.org/b").links.map(\.url.absoluteString)
        #expect(found == ["http://example.com/a", "https://example.org/b"])
    }

    @Test func lookalikesOfLinksAreNotDetected() {
        for text in [
            "", "http://", "https:// example", "http:///path", "https://-bad-.com", "http://999.1.1.1", "http://a..b",
            "://x",
            "main.swift", "README.md", "script.py", "e.g. this", "1.5.2", "192.168.1.1", "a@example.com",
            "version 2.0.com-x",
            "javascript:alert(1)", "file:///etc/passwd", "foo.bar", "..com", "http://example.com:99999",
            "x.example_com",
            "https://\(String(repeating: "a", count: 400)).com", "end.Begin", "mailto:someone@example.com",
            "path/to.com",
        ] {
            #expect(links(text).isEmpty, "\(text)")
        }
    }

    @Test func theHostIsWhatStandsBehindTheLastAt() throws {
        let link = try #require(detect(\.links, in: "https://example.com@evil.example/x").links.first)
        #expect(link.url.host == "evil.example")
    }

    @Test func anAddressOfAPageIsAWholeText() {
        func address(_ text: String) -> String { detect(\.probableWebURL, in: text).probableWebURL }
        #expect(address("https://example.com/x") == "https://example.com/x")
        #expect(address("  example.com\n") == "example.com")
        #expect(address("www.example.com/a b") == "")
        #expect(address("see https://example.com") == "")
        #expect(address("https://example.com https://example.org") == "")
        #expect(address("ftp://example.com") == "")
        #expect(address("someone@example.com") == "")
        #expect(address("") == "")
        #expect(detect(\.probableWebURL, in: "x").patterns.isEmpty)
    }

    @Test func otherTextsThanAddressesMayBeSearchedFor() {
        func search(_ text: String) -> String { detect(\.probableWebSearch, in: text).probableWebSearch }
        #expect(search("  swift on\n linux ") == "swift on linux")
        #expect(search("größte Stadt") == "größte Stadt")
        #expect(search("42") == "42")
        #expect(search("https://example.com") == "")
        #expect(search("example.com") == "")
        #expect(search(" \n\t") == "" && search("?!…") == "")
        #expect(search(String(repeating: "a ", count: 200)) == "")
    }

    @Test func emailAddressesAreFound() {
        func addresses(_ text: String) -> [String] {
            detect(\.emailAddresses, in: text).emailAddresses.map(\.emailAddress)
        }
        for address in [
            "someone@example.com", "first.last+tag@sub.example.co.uk", "o'brien@example.ie", "a@b.de",
            "x_y-z%1@example.museum",
            "user@xn--bcher-kva.example", "jörg@bücher.de", "\(String(repeating: "a", count: 64))@example.com",
        ] {
            #expect(addresses(address) == [address])
            #expect(
                addresses("Write to <\(address)>, or (\(address)). mailto:\(address)") == [address, address, address])
        }
        for text in [
            "@example.com", "someone@", "someone@localhost", "a@b@c.com@", "someone@example..com",
            "some..one@example.com",
            "someone.@example.com", "someone@-example.com", "someone@1.2", "@ @@ @@@",
            "\(String(repeating: "a", count: 65))@example.com",
            "user@example.c", "user@[127.0.0.1]",
        ] {
            #expect(addresses(text).isEmpty, "\(text)")
        }
    }

    @Test func labelsSayWhichAddressItIs() {
        let found = detect(\.emailAddresses, in: "Work: a@example.com\nhome email: b@example.com\nc@example.com")
            .emailAddresses
        #expect(found.map(\.label) == ["Work", "home", nil])
        #expect(found.map(\.matchedString) == ["a@example.com", "b@example.com", "c@example.com"])
    }
}
