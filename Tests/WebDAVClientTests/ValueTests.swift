import HTTPTransport
import Testing
import WebDAVClient

struct ValueTests {
    @Test(arguments: ["\"abc\"", "W/\"abc\"", "w/\"abc\"", "abc", " \"abc\"\n", "W/abc"])
    func `tags of one state have the same opaque part however they are written`(text: String) {
        #expect(DAVEntityTag(text)?.opaque == "abc")
        #expect(DAVEntityTag(text)?.isWeak == text.lowercased().hasPrefix("w/"))
    }

    @Test(arguments: ["", "\"\"", "W/", "W/\"\"", "a b", "a\"b", "\"a\"b\"", "a\nb", "a\u{0}b"])
    func `a tag that cannot be sent is none`(text: String) {
        #expect(DAVEntityTag(text) == nil)
    }

    private func version(_ tag: String?, _ length: Int?, _ modified: Int64?) -> DAVVersion {
        DAVVersion(
            tag: tag.flatMap { DAVEntityTag($0) }, length: length, modified: modified.map { HTTPDate(seconds: $0) })
    }

    @Test func `states are the same if their tags are, whatever their dates`() {
        #expect(version("W/\"a\"", 1, 10).isSameState(as: version("\"a\"", 1, 20)))
        #expect(!version("\"a\"", 1, 10).isSameState(as: version("\"b\"", 1, 10)))
        #expect(version("\"a\"", nil, nil).isSameState(as: version("\"a\"", 1, 20)))
    }

    @Test func `a repeated tag with another length is another state`() {
        #expect(!version("\"a\"", 1, 10).isSameState(as: version("\"a\"", 2, 10)))
    }

    @Test func `without tags, the length and the date make the state`() {
        #expect(version(nil, 1, 10).isSameState(as: version(nil, 1, 10)))
        #expect(!version(nil, 1, 10).isSameState(as: version(nil, 2, 10)))
        #expect(!version(nil, 1, 10).isSameState(as: version(nil, 1, 11)))
        #expect(version("\"a\"", 1, 10).isSameState(as: version(nil, 1, 10)))
    }

    @Test func `a date alone is no version`() {
        #expect(!version(nil, nil, 10).isSameState(as: version(nil, nil, 10)))
        #expect(!version(nil, nil, 10).isMeaningful)
        #expect(version(nil, 1, 10).isMeaningful)
        #expect(version("\"a\"", nil, nil).isMeaningful)
    }

    @Test func `a version is racy within two seconds of the server's time`() {
        let date = HTTPDate(seconds: 100)
        #expect(version("\"a\"", 1, 98).isRacy(at: date))
        #expect(version("\"a\"", 1, 100).isRacy(at: date))
        #expect(version("\"a\"", 1, 200).isRacy(at: date))
        #expect(!version("\"a\"", 1, 97).isRacy(at: date))
        #expect(!version("\"a\"", 1, nil).isRacy(at: date))
    }
}
