import CCurl

/// The settings that all transfers of a client have in common.
struct TransferSettings: Sendable {
    let userAgent: String
    let trust: HTTPTrust
    let proxies: HTTPProxies
    let connectPatience: Duration
    let headLimit: Int
    let connectionsPerHost: Int
    let streamsPerHost: Int
    let keepsCookies: Bool

    init(_ configuration: HTTPConfiguration) {
        userAgent = configuration.userAgent
        trust = configuration.trust
        proxies = configuration.proxies
        connectPatience = configuration.connectPatience
        headLimit = configuration.headLimit
        connectionsPerHost = max(1, configuration.connectionsPerHost)
        streamsPerHost = max(1, configuration.streamsPerHost)
        keepsCookies = configuration.keepsCookies
    }

    /// Returns the proxy between this client and a server.
    func proxy(for origin: HTTPOrigin) -> String? { origin.isSecure ? proxies.encrypted : proxies.unencrypted }
}
