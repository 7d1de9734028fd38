import HTTPTransport
import Testing

struct HeaderTests {
    @Test func `names are compared without regard to case`() {
        var headers: HTTPHeaders = ["Depth": "1", "X-A": "1"]
        headers.add("x-a", "2")
        #expect(headers["DEPTH"] == "1")
        #expect(headers.values("X-a") == ["1", "2"])
        headers["x-A"] = nil
        #expect(headers.fields.map(\.name) == ["Depth"])
    }

    @Test(
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func `a date is read in each format`(text: String) {
        #expect(HTTPDate(text)?.seconds == 784_111_777)
    }

    @Test(
        arguments: [
            "", "now", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 6 Nov 199999 08:49:37 GMT",
        ])
    func `a date that does not exist is refused`(text: String) { #expect(HTTPDate(text) == nil) }

    @Test(arguments: [0, 784_111_777, 951_782_400, 4_102_444_799, -86_401, -2_203_891_200] as [Int64])
    func `a date is read as it is written`(seconds: Int64) {
        let date = HTTPDate(seconds: seconds)
        #expect(HTTPDate(date.description) == date, "\(date)")
    }

    @Test func `a date is written as the protocol requires`() {
        #expect(HTTPDate(seconds: 784_111_777).description == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `a range of a reply is read`() {
        #expect(HTTPContentRange("bytes 0-499/1234")?.bytes == 0..<500)
        #expect(HTTPContentRange("bytes 0-499/1234")?.total == 1_234)
        #expect(HTTPContentRange("bytes 5-5/*")?.bytes == 5..<6)
    }

    @Test(
        arguments: [
            "", "bytes */100", "bytes 5-4/10", "bytes 0-10/10", "bytes -1-5/10", "items 0-1/2", "bytes 0-1",
            "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*",
        ])
    func `a range that contradicts itself is refused`(text: String) { #expect(HTTPContentRange(text) == nil) }

    @Test func `secrets are not printed`() {
        let credentials = HTTPCredentials.basic(user: "ada", password: "secret")
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("secret"))
    }

    @Test func `a fingerprint is read with and without colons`() {
        let plain = String(repeating: "0aF9", count: 16)
        #expect(HTTPFingerprint(plain)?.description == Array(repeating: "0A:F9", count: 16).joined(separator: ":"))
        #expect(HTTPFingerprint(plain) == HTTPFingerprint(HTTPFingerprint(plain)?.description ?? ""))
        #expect(HTTPFingerprint("0A:F9") == nil)
        #expect(HTTPFingerprint(plain.dropLast() + "g") == nil)
    }

    @Test func `proxies are taken from the environment`() {
        let proxies = HTTPProxies(environment: [
            "http_proxy": "http://a:1", "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "http://b:2", "NO_PROXY": "c",
        ])
        #expect(proxies.unencrypted == "http://a:1")
        #expect(proxies.encrypted == "http://b:2")
        #expect(proxies.exceptions == "c")
        #expect(HTTPProxies(environment: ["HTTP_PROXY": "http://evil:1"]) == HTTPProxies())
        #expect(HTTPProxies(environment: ["all_proxy": "http://d:3", "https_proxy": ""]).encrypted == "http://d:3")
    }
}
