/// The proxies through which servers are reached.
public struct HTTPProxies: Sendable, Equatable {
    /// The proxy's address for `http` servers, such as `http://user:password@proxy.example:3128`.
    public var unencrypted: String?
    /// The proxy's address for `https` servers.
    public var encrypted: String?
    /// The servers that are reached directly: names and domains, separated by commas; `*` for all.
    public var exceptions: String?

    /// Reaches all servers directly.
    public init() {}

    /// Takes the proxies from the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower
    /// case or, except `http_proxy`, in upper case.
    ///
    /// In a web server, `HTTP_PROXY` is a header field that a client sent. Therefore it is ignored.
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
