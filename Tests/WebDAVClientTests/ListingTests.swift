import FileTesting
import Foundation
import HTTPTransport
import Testing
import WebDAVClient
import XMLStream

struct ListingTests {
    /// Returns the names in a directory whose listing has these addresses.
    private func names(of path: String, _ hrefs: [String]) async throws -> [String] {
        let server = try await OrderedServer()
        try await server.orderListing("/", Self.entries(hrefs))
        return try await server.client.list(server.address(path)).all().map(\.name)
    }

    /// The directory itself, and files.
    private static func entries(_ hrefs: [String]) -> [(href: String, properties: String)] {
        hrefs.enumerated().map { ($0.element, $0.offset == 0 ? directoryProperties : "<resourcetype/>") }
    }

    @Test func `a file is no directory without entries`() async throws {
        let server = try await OrderedServer()
        try await server.orderListing("/", [("/a", "<resourcetype/>")])
        #expect(await failure { _ = try await server.client.list(server.address("/a")).all() } == .notDirectory("/a"))
    }

    @Test(arguments: [
        "/dav/", "http://cloud.example/dav/", "https://cloud.example:8443/dav/", "", "//dav//", "/dav/./", "/DAV/",
    ])
    func `addresses of entries are absolute, paths, or relative`(prefix: String) async throws {
        #expect(try await names(of: "/dav/", [prefix, prefix + "a.txt", prefix + "b%20c/"]) == ["a.txt", "b c"])
    }

    @Test func `names are decoded to bytes`() async throws {
        let hrefs = ["/d/", "/d/%C3%A9", "/d/a+b", "/d/100%", "/d/%2", "/d/%23%3F%25", "/d/é&amp;", "/d/a%09b"]
        let expected = ["é", "a+b", "100%", "%2", "#?%", "é&", "a\tb"]
        #expect(try await names(of: "/d/", hrefs) == expected)
    }

    @Test func `names that no file can have are refused and counted`() async throws {
        let server = try await OrderedServer()
        let hrefs = ["/d/", "/d/%FF.txt", "/d/a%2Fb", "/d/a%00", "/d/%2E", "/d/good"]
        try await server.orderListing("/", Self.entries(hrefs))
        let listing = try await server.client.list(server.address("/d/"))
        #expect(try await listing.all().map(\.name) == ["good"])
        #expect(await listing.refusedCount == 4)
        #expect(await listing.refusedNames == ["\u{FFFD}.txt", "a/b", "a\u{0}", "."])
    }

    @Test func `an entry with an address of another directory is counted`() async throws {
        let server = try await OrderedServer()
        try await server.orderListing("/", Self.entries(["/d/", "/a", "/d/b"]))
        let listing = try await server.client.list(server.address("/d/"))
        #expect(try await listing.all().map(\.name) == ["b"])
        #expect(await listing.refusedNames == ["/a"])
    }

    @Test(arguments: ["/d/../x", "/d/%2e%2e/x", "/../d/x"])
    func `an address that steps out of its directory is no entry`(href: String) async throws {
        #expect(try await names(of: "/d/", ["/d/", href, "/d/good"]) == ["good"])
    }

    @Test func `a server that changes names to another normal form lists its own names`() async throws {
        let server = try await OrderedServer()
        try await server.orderListing("/", [("/%C3%A9/", directoryProperties), ("/%C3%A9/%C3%A9", "<resourcetype/>")])
        let entries = try await server.client.list(server.root.appending("e\u{301}").asDirectory).all()
        #expect(entries.map { Array($0.name.utf8) } == [Array("\u{E9}".utf8)])
        let entry = try await server.client.entry(at: server.root.appending("e\u{301}"))
        #expect(Array(entry.name.utf8) == Array("\u{E9}".utf8))
    }

    @Test func `properties count by the status of their group`() async throws {
        let server = try await OrderedServer()
        let found =
            "<propstat><prop><getcontentlength>5</getcontentlength><getetag>W/\"x\"</getetag></prop>"
            + "<status>HTTP/1.1 200 OK</status></propstat>"
        let missing =
            "<propstat><prop><resourcetype><collection/></resourcetype></prop>"
            + "<status>HTTP/1.1 404 Not Found</status></propstat>"
        let vanished = "<response><href>/d/b</href><status>HTTP/1.1 404 Not Found</status></response>"
        let entry = "<response><href>/d/a</href>\(found)\(missing)</response>"
        try await server.order(.propfind, body: multistatus(entry + vanished))
        let entries = try await server.client.list(server.address("/d/")).all()
        #expect(entries.map(\.name) == ["a"])
        #expect(entries.first?.length == 5)
        #expect(entries.first?.isDirectory == false)
        #expect(entries.first?.tag == DAVEntityTag("W/\"x\""))
    }

    @Test func `additional properties are requested and kept`() async throws {
        let server = try await OrderedServer()
        let name = XMLName("http://owncloud.org/ns", "fileid")
        try await server.orderListing("/", [("/a", "<x:fileid xmlns:x=\"http://owncloud.org/ns\">7</x:fileid>")])
        var client = server.client
        client.additionalProperties = [name]
        #expect(try await client.list(server.root).all().first?.property(name)?.text == "7")
        let request = try #require(try await server.requests().last)
        #expect(request.headers["depth"] == "1")
        #expect(request.body.contains("<fileid xmlns=\"http://owncloud.org/ns\"/>"))
    }

    @Test func `entries of deeper directories are left out`() async throws {
        #expect(try await names(of: "/d/", ["/d/", "/d/a/", "/d/a/b", "/d/c"]) == ["a", "c"])
    }

    @Test func `a listing of another directory is an error and not an empty one`() async throws {
        let error = await failure { _ = try await names(of: "/d/", ["/other/", "/other/a"]) }
        guard case .invalidReply = error else { throw UnexpectedError(error: error) }
    }

    @Test func `a reply without any entry is neither an empty directory nor a missing one`() async throws {
        let server = try await OrderedServer()
        try await server.order(.propfind, body: multistatus(""))
        for isListing in [true, false] {
            let error = await failure {
                if isListing {
                    _ = try await server.client.list(server.root).all()
                } else {
                    _ = try await server.client.entry(at: server.root)
                }
            }
            guard case .invalidReply = error else { throw UnexpectedError(error: error) }
        }
    }

    @Test func `a status of another address says nothing about the requested one`() async throws {
        let server = try await OrderedServer()
        let other = "<response><href>/other</href><status>HTTP/1.1 404 Not Found</status></response>"
        try await server.order(.propfind, body: multistatus(other))
        let error = await failure { _ = try await server.client.entry(at: server.address("/a")) }
        guard case .invalidReply = error else { throw UnexpectedError(error: error) }
    }

    /// Returns a listing of `/d/` with one entry that has a status instead of properties.
    private static func listing(_ status: Int, of href: String = "/d/a", kind: String? = nil) -> String {
        let own =
            "<response><href>/d/</href><propstat><prop>\(directoryProperties)</prop>"
            + "<status>HTTP/1.1 200 OK</status></propstat></response>"
        let line = "<status>HTTP/1.1 \(status) Reason</status>"
        let refused = kind.map { "<propstat><prop>\($0)</prop>\(line)</propstat>" } ?? line
        return multistatus(own + "<response><href>\(href)</href>\(refused)</response>")
    }

    @Test(arguments: [401, 423, 500, 503], [nil, "<resourcetype/>"])
    func `an entry that the server could not read makes the listing incomplete`(
        status: Int, kind: String?
    ) async throws {
        let server = try await OrderedServer()
        try await server.order(.propfind, body: Self.listing(status, kind: kind))
        let error = await failure { _ = try await server.client.list(server.address("/d/")).all() }
        #expect(error == .truncatedListing("/d"))
    }

    @Test(arguments: [(403, 1), (404, 0), (410, 0)])
    func `an entry that the user may not see is counted, and one that vanished is not`(
        status: Int, count: Int
    ) async throws {
        let server = try await OrderedServer()
        try await server.order(.propfind, body: Self.listing(status))
        let listing = try await server.client.list(server.address("/d/"))
        #expect(try await listing.all().isEmpty)
        #expect(await listing.refusedNames == (count == 0 ? [] : ["a"]))
        #expect(await listing.forbiddenNames == (count == 0 ? [] : ["a"]))
        #expect(await listing.refusedCount == count)
        let refusal = count == 0 ? nil : DAVError.partial("a", status: 409, count: 1)
        #expect(await failure { try await listing.requireNothingLeftOut() } == refusal)
        // The names in a directory include those that the user may not see.
        try await server.order(.propfind, body: Self.listing(status))
        #expect(try await server.client.names(in: server.address("/d/")) == (count == 0 ? [] : ["a"]))
    }

    @Test func `a listing that the server cut is an error`() async throws {
        let server = try await OrderedServer()
        let cut = "<response><href>/</href><status>HTTP/1.1 507 Insufficient Storage</status></response>"
        try await server.order(.propfind, body: multistatus(cut))
        #expect(await failure { _ = try await server.client.list(server.root).all() } == .truncatedListing("/"))
    }

    @Test func `a listing that ends too early is an error`() async throws {
        let server = try await OrderedServer()
        let whole = multistatus("<response><href>/a</href></response>")
        try await server.order(.propfind, body: String(whole.dropLast(14)))
        let error = await failure { _ = try await server.client.list(server.root).all() }
        #expect(error == .invalidReply(server.root.origin, "the XML ended too early"))
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b \"cc\">]><multistatus xmlns=\"DAV:\">&b;</multistatus>",
        "<response xmlns=\"DAV:\"/>", "{}", "",
        "<multistatus xmlns=\"DAV:\">" + String(repeating: "<a>", count: 100),
    ])
    func `a reply that is no multistatus is an error`(body: String) async throws {
        let server = try await OrderedServer()
        try await server.order(.propfind, body: body)
        for isListing in [true, false] {
            let error = await failure {
                if isListing {
                    _ = try await server.client.list(server.root).all()
                } else {
                    _ = try await server.client.entry(at: server.root)
                }
            }
            guard case .invalidReply = error else { throw UnexpectedError(error: error) }
        }
    }

    @Test func `an entry without end is an error`() async throws {
        let server = try await OrderedServer()
        let error = await failure { _ = try await server.client.list(server.address("/endless/")).all() }
        #expect(error == .invalidReply(server.root.origin, "the XML is too long"))
    }

    @Test func `200,000 entries take little memory`() async throws {
        // In a process of its own, because other tests run in this one.
        await #expect(processExitsWith: .success) {
            let server = try await OrderedServer()
            let before = try ListingTests.residentBytes()
            let listing = try await server.client.list(server.address("/many/200000/"))
            var (count, sum, peak) = (0, 0, 0)
            while let entries = try await listing.next() {
                count += entries.count
                sum += entries.reduce(0) { $0 + ($1.length ?? 0) }
                peak = max(peak, try ListingTests.residentBytes())
            }
            #expect(count == 200_000)
            #expect(sum == 199_999 * 100_000)
            #expect(peak - before < 100 << 20)
        }
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
    }
}

/// An error that a test does not expect.
struct UnexpectedError: Error {
    let error: (any Error)?
}
