import CCurl

/// The options of a libcurl handle. Records the first failure to set an option.
struct EasyOptions {
    private let easy: UnsafeMutableRawPointer
    private(set) var failure = CURLE_OK

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    mutating func check(_ code: CURLcode) {
        if failure == CURLE_OK { failure = code }
    }

    mutating func set(_ option: CURLoption, _ value: Int) { check(ccurl_set_long(easy, option, value)) }
    mutating func set(_ option: CURLoption, offset: Int) { check(ccurl_set_offset(easy, option, Int64(offset))) }
    mutating func set(_ option: CURLoption, _ value: String?) { check(ccurl_set_string(easy, option, value)) }
    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        check(ccurl_set_pointer(easy, option, value))
    }

    /// Sets the options of the connection to a server.
    mutating func setConnection(to origin: HTTPOrigin, _ settings: TransferSettings, _ trust: TrustRules) {
        set(CURLOPT_NOSIGNAL, 1)
        // A cancelled transfer does not wait for the lookup of its server's name.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectPatience.wholeMilliseconds)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // If the authorities are in one file only, libcurl parses that file once rather than for each connection.
        set(CURLOPT_CAPATH, nil as String?)
        check(ccurl_set_trust(easy, trust.pointer))
        // An empty string prevents libcurl from reading the proxies from the environment.
        set(CURLOPT_PROXY, settings.proxy(for: origin) ?? "")
        set(CURLOPT_NOPROXY, settings.proxies.exceptions ?? "")
    }
}

extension Duration {
    /// The duration in milliseconds, at least 1, and at most a day.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), .seconds(86_400)).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
