import CCurl

/// One exchange of a request and a response, without redirects and repetitions.
struct TransferPlan: Sendable {
    let request: HTTPRequest
    let destination: TransferDestination
    let resumption: Resumption?
    let patience: Duration
}

/// The beginning of a file, which an earlier attempt has delivered. The next attempt requests only the rest.
struct Resumption: Sendable, Equatable {
    /// The strong entity tag of the file.
    let entityTag: String
    /// The number of bytes delivered.
    let count: Int
}

/// The outcome of a transfer.
struct TransferOutcome: Sendable {
    let result: Result<HTTPResponse, HTTPError>
    /// The part of the file that was delivered although the transfer failed.
    var resumption: Resumption?
    /// Whether the server replied before it had the whole body of the request, and libcurl lost that reply.
    var isReplyLost = false

    static func failure(_ error: HTTPError) -> TransferOutcome { TransferOutcome(result: .failure(error)) }
}

/// The identifier of a transfer, unique within its client.
typealias TransferID = UInt64

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
