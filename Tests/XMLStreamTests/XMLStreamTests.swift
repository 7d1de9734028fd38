import Testing
import XMLStream

struct XMLStreamTests {
    /// Parses a document in pieces of a size.
    private func events(
        _ text: String, piece: Int = 1 << 16, limits: XMLLimits = XMLLimits()
    ) throws(XMLStreamError) -> [XMLEvent] {
        let parser = try XMLStreamParser(limits: limits)
        var events: [XMLEvent] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            events += try parser.parse(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        try parser.finish()
        return events
    }

    private let listing = """
        <?xml version="1.0"?>
        <d:multistatus xmlns:d="DAV:" xmlns='urn:x'><d:href a="1 &amp; 2" d:b="3">/a%20b&#228;<![CDATA[<&]]>\
        <!-- c -->é</d:href><empty/></d:multistatus>
        """

    private let listed: [XMLEvent] = [
        .start(XMLName("DAV:", "multistatus"), [:]),
        .start(XMLName("DAV:", "href"), [XMLName("", "a"): "1 & 2", XMLName("DAV:", "b"): "3"]),
        .text("/a%20bä<&é"), .end(XMLName("DAV:", "href")), .start(XMLName("urn:x", "empty"), [:]),
        .end(XMLName("urn:x", "empty")), .end(XMLName("DAV:", "multistatus")),
    ]

    @Test(arguments: [1, 2, 3, 7, 1 << 16])
    func `a document is read in pieces of any size`(piece: Int) throws {
        #expect(try events(listing, piece: piece) == listed)
    }

    @Test func `bytes in another encoding are read`() throws {
        let parser = try XMLStreamParser()
        let bytes = Array(#"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#.utf8) + [0xE4] + Array("</a>".utf8)
        #expect(try parser.parse(bytes).contains(.text("ä")))
        try parser.finish()
    }

    @Test(
        arguments: [
            #"<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>"#,
            #"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#,
            #"<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>"#,
            #"<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;"><!ENTITY d "&c;&c;">]><a>&d;</a>"#,
            #"<!DOCTYPE a [<!ENTITY % p "q"> %p;]><a/>"#,
        ])
    func `entities of a document are refused`(text: String) {
        #expect(throws: XMLStreamError.documentType("a")) { try events(text) }
    }

    @Test func `a web page is recognized`() {
        #expect(throws: XMLStreamError.documentType("html")) { try events("<!DOCTYPE html><html><body>") }
        #expect("\(XMLStreamError.documentType("HTML"))" == "a web page came in place of XML")
    }

    @Test(arguments: ["<a>&undefined;</a>", "<a></b>", "<a x='1' x='2'/>", "<a>\u{1}</a>", "<p:a/>", "a", "<a/><b/>"])
    func `a malformed document is an error`(text: String) {
        let error = #expect(throws: XMLStreamError.self) { try events(text) }
        let isMalformed = if case .malformed(_, line: 1) = error { true } else { false }
        #expect(isMalformed, "\(String(describing: error))")
    }

    @Test(arguments: ["", "<a>", "<a", "<a><b/>", "<a><![CDATA["])
    func `a document that ends too early is an error`(text: String) {
        #expect(throws: XMLStreamError.incomplete) { try events(text) }
    }

    @Test func `a damaged document is read or refused`() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var bytes = Array(listing.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[place] = .random(in: .min ... .max, using: &numbers)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &numbers)], at: place)
                }
            }
            var depth = 0
            let isWhole: Void? = try? {
                let parser = try XMLStreamParser()
                for event in try parser.parse(bytes) {
                    switch event {
                    case .start: depth += 1
                    case .end: depth -= 1
                    case .text: break
                    }
                }
                try parser.finish()
            }()
            #expect(isWhole == nil || depth == 0, "\(bytes)")
        }
    }

    @Test func `an error is repeated`() throws {
        let parser = try XMLStreamParser()
        #expect(throws: XMLStreamError.documentType("a")) { try parser.parse(Array("<!DOCTYPE a>".utf8)) }
        #expect(throws: XMLStreamError.documentType("a")) { try parser.parse(Array("<a/>".utf8)) }
        #expect(throws: XMLStreamError.documentType("a")) { try parser.finish() }
    }

    @Test func `a document beyond a bound is an error`() {
        var limits = XMLLimits()
        limits.depth = 3
        limits.attributes = 2
        limits.text = 10
        limits.name = 20
        limits.size = 100
        let cases: [(String, XMLStreamError.Limit)] = [
            ("<a><a><a><a/></a></a></a>", .depth), ("<a b='1' c='2' d='3'/>", .attributes),
            ("<a>12345<!-- -->67890x</a>", .text), ("<a b='123456' c='78901'/>", .text),
            ("<abcdefghijklmnopqrstuvw/>", .name), ("<a xmlns='urn:abcdefghijklmnopqrst'/>", .name),
            ("<a>" + String(repeating: "<b/>", count: 30) + "</a>", .size),
        ]
        for (text, limit) in cases {
            #expect(throws: XMLStreamError.limit(limit)) { try events(text, piece: 5, limits: limits) }
        }
        #expect(throws: Never.self) { try events("<a><a><a b='1' c='2'>1234567890</a></a></a>", limits: limits) }
    }

    @Test func `a listing of 200,000 entries needs little memory`() throws {
        let parser = try XMLStreamParser()
        let entry = Array(
            "<d:response><d:href>/files/a</d:href><d:propstat><d:prop><d:getetag>\"x\"</d:getetag></d:prop></d:propstat></d:response>"
                .utf8)
        var starts = 0
        func count(_ bytes: [UInt8]) throws {
            for case .start(XMLName("DAV:", "response"), _) in try parser.parse(bytes) { starts += 1 }
        }
        try count(Array(#"<d:multistatus xmlns:d="DAV:">"#.utf8))
        let piece = [[UInt8]](repeating: entry, count: 1_000).flatMap { $0 }
        for _ in 0..<200 { try count(piece) }
        try count(Array("</d:multistatus>".utf8))
        try parser.finish()
        #expect(starts == 200_000)
    }

    @Test func `text survives its escaping`() throws {
        let text = "a<b>&\"'\t\n\r\u{FEFF}ä]]>"
        let document = "<a b=\"\(text.xmlEscaped)\">\(text.xmlEscaped)</a>"
        #expect(
            try events(document) == [
                .start(XMLName("", "a"), [XMLName("", "b"): text]), .text(text), .end(XMLName("", "a")),
            ])
        #expect("\u{0}\u{1}".xmlEscaped == "\u{FFFD}\u{FFFD}")
    }
}
