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
    /// The maximum number of concurrent requests to one server over HTTP/2. Over HTTP/1.1, each request needs a
    /// connection. Further requests wait.
    public var streamsPerHost = 32
    /// The time limit for opening a connection, including the lookup of the name and the TLS handshake.
    public var connectPatience = Duration.seconds(30)
    /// The time without progress after which a request fails. Progress is 64 bytes of a body in either direction, or
    /// a complete head. Time in which the client itself pauses the transfer does not count.
    public var patience = Duration.seconds(60)
    /// The rules for repeating requests that do not have their own rules.
    public var retry = HTTPRetryPolicy()
    /// The maximum number of bytes of all heads of one response.
    public var headLimit = 64 << 10
    /// Whether the client returns the cookies that servers set, which saves some servers a check of the password for
    /// each request.
    public var keepsCookies = false
    /// Bytes per second of all responses together; `nil` for no limit.
    public var downloadLimit: Int?
    /// Bytes per second of all requests together; `nil` for no limit.
    public var uploadLimit: Int?

    /// The clock of the pauses between attempts.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the time of day, for dates in `Retry-After` of servers that do not send their own time.
    public var now: @Sendable () -> HTTPDate = { HTTPDate(seconds: Int64(time(nil))) }
    /// Returns a number from 0 to 1, for the random part of pauses.
    public var chance: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates the usual settings.
    public init() {}

    /// The process's environment.
    private static var environment: [String: String] {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        return names.reduce(into: [:]) { values, name in values[name] = getenv(name).map { String(cString: $0) } }
    }
}
