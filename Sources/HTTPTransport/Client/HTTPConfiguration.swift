import CCurl
import Glibc

/// The settings of a client.
public struct HTTPConfiguration: Sendable {
    /// The client's name in requests.
    public var userAgent = "Purvey"
    /// The certificates to trust.
    public var trust = HTTPTrust.system
    /// The proxies. The default is the proxies in the process's environment.
    public var proxies = HTTPProxies(environment: Self.environment)
    /// The maximum number of connections to one server.
    public var connectionsPerHost = 6
    /// The maximum number of concurrent requests to one server over HTTP/2. Over HTTP/1.1, each request occupies a
    /// connection. Further requests wait.
    public var streamsPerHost = 32
    /// The time limit for opening a connection, including the lookup of the host name and the TLS handshake.
    public var connectPatience = Duration.seconds(30)
    /// The time without progress after which a request fails. Progress is 64 bytes of a body in either direction, or
    /// a complete head. Time in which the client itself pauses the transfer does not count. The default is the number
    /// of seconds in `PURVEY_HTTP_TIME_LIMIT`, or 60.
    public var patience = Self.environmentPatience ?? .seconds(60)
    /// The rules for repeating requests that do not have their own rules.
    public var retry = HTTPRetryPolicy()
    /// The maximum number of bytes of all heads of one response.
    public var headLimit = 64 << 10
    /// Whether the client returns the cookies that servers set. Some servers then need not check the password for each
    /// request.
    public var keepsCookies = false
    /// The maximum number of bytes per second of all responses together; `nil` for no limit.
    public var downloadLimit: Int?
    /// The maximum number of bytes per second of all requests together; `nil` for no limit.
    public var uploadLimit: Int?

    /// The clock of the pauses between attempts.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// A function that returns the current date. It is called if a server sends a date in `Retry-After`, but not the
    /// date of its own clock.
    public var now: @Sendable () -> HTTPDate = { HTTPDate(seconds: Int64(time(nil))) }
    /// A function that returns a number from 0 to 1, for the random part of pauses.
    public var chance: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates the default settings.
    public init() {}

    /// The time limit in `PURVEY_HTTP_TIME_LIMIT`, in seconds.
    private static var environmentPatience: Duration? {
        getenv("PURVEY_HTTP_TIME_LIMIT").flatMap { UInt16(String(cString: $0)) }.map { .seconds($0) }
    }

    /// The variables of the process's environment that name proxies.
    private static var environment: [String: String] {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        return names.reduce(into: [:]) { values, name in values[name] = getenv(name).map { String(cString: $0) } }
    }
}

/// The proxies between this client and the servers.
public struct HTTPProxies: Sendable, Equatable {
    /// The address of the proxy for `http` servers, such as `http://user:password@proxy.example:3128`.
    public var unencrypted: String?
    /// The address of the proxy for `https` servers.
    public var encrypted: String?
    /// The servers that are reached directly: names and domains, separated by commas; `*` for all.
    public var exceptions: String?

    /// Creates settings without proxies, so that all servers are reached directly.
    public init() {}

    /// Reads the proxies from the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower case
    /// or, except `http_proxy`, in upper case.
    ///
    /// `HTTP_PROXY` is ignored, because in a program that a web server runs (CGI), any client of the web server can set
    /// this variable by a header field.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            let text = environment[name] ?? environment[name.uppercased()]
            return text?.isEmpty == true ? nil : text
        }
        let all = value("all_proxy")
        unencrypted = environment["http_proxy"].flatMap { $0.isEmpty ? nil : $0 } ?? all
        encrypted = value("https_proxy") ?? all
        exceptions = value("no_proxy")
    }
}

/// The SHA-256 digest of a certificate, by which a user recognizes it.
public struct HTTPFingerprint: Hashable, Sendable, LosslessStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Parses 64 hexadecimal digits, with or without colons and spaces between them.
    public init?(_ description: String) {
        let digits = description.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        let values = digits.compactMap { String.hexadecimalDigit($0) }
        guard values.count == digits.count, values.count == 2 * Int(CCURL_FINGERPRINT_SIZE) else { return nil }
        bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Pairs of hexadecimal digits with colons, the form in which other programs show a fingerprint.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

/// The certificates that a client trusts.
public struct HTTPTrust: Sendable {
    /// Certificates of authorities in PEM, in addition to those of the system.
    public var authorities: [UInt8]?
    /// The fingerprints of certificates that the user accepted, each for one server. Such a certificate may be expired,
    /// self-signed, or issued for another name. If a server presents another certificate, that certificate must satisfy
    /// the usual rules.
    public var accepted: [HTTPOrigin: HTTPFingerprint] = [:]

    /// Creates rules that trust the certificates of the system's authorities.
    public init() {}

    /// The rules that trust the certificates of the system's authorities.
    public static let system = HTTPTrust()
}
