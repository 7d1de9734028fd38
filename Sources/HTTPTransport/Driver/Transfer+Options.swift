import CCurl
import LinuxSystem

extension Transfer {
    /// Sets the request as options of the libcurl handle.
    ///
    /// - Parameter share: the handle that shares cookies and TLS sessions between transfers.
    func prepare(share: UnsafeMutableRawPointer?) throws(HTTPError) {
        var options = EasyOptions(easy)
        let request = plan.request
        options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(message))
        options.set(CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(id)))
        // A request that was redirected to another origin shares no cookies. A cookie is valid for all ports of a host,
        // and thus for several origins.
        let hasCookies = settings.keepsCookies && !request.isAway
        options.set(CURLOPT_SHARE, hasCookies == settings.keepsCookies ? share : nil)
        options.set(CURLOPT_URL, request.address.description)
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_BUFFERSIZE, 256 << 10)
        options.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        options.set(CURLOPT_USERAGENT, settings.userAgent)
        if hasCookies { options.set(CURLOPT_COOKIEFILE, "") }
        options.setConnection(to: origin, settings, trust)
        options.set(CURLOPT_HTTP_VERSION, request.avoidsMultiplexing ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        // The server may just be closing a reused connection. Then only a request that changes no data could be
        // repeated. Therefore a request whose reply was lost is sent over a new connection.
        if request.hasLostReply { options.set(CURLOPT_FRESH_CONNECT, 1) }
        // Further transfers to the server wait until the first connection shows whether they can share it over HTTP/2.
        if origin.isSecure, !request.avoidsMultiplexing { options.set(CURLOPT_PIPEWAIT, 1) }
        try setMethod(&options)
        try setFields(&options)
        try setCredentials(&options)
        options.check(ccurl_set_start_function(easy, Self.begin, Unmanaged.passUnretained(self).toOpaque()))
        options.check(
            ccurl_set_write_function(easy, Self.receiveBytes, Unmanaged.passUnretained(self).toOpaque()))
        options.check(
            ccurl_set_header_function(easy, Self.receiveLine, Unmanaged.passUnretained(self).toOpaque()))
        guard options.failure == CURLE_OK else {
            throw .transport(origin, String(cString: curl_easy_strerror(options.failure)))
        }
    }

    private func setMethod(_ options: inout EasyOptions) throws(HTTPError) {
        let request = plan.request
        let hasBody = request.body.count > 0 || request.method == .put || request.method == .post
        if request.method == .head {
            options.set(CURLOPT_NOBODY, 1)
        } else if hasBody {
            options.set(CURLOPT_UPLOAD, 1)
            options.set(CURLOPT_INFILESIZE_LARGE, offset: request.body.count)
            options.check(
                ccurl_set_read_functions(
                    easy, Self.sendBytes, Self.rewind, Unmanaged.passUnretained(self).toOpaque()))
        }
        if hasBody || (request.method != .get && request.method != .head) {
            options.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        if let start = partStart {
            // libcurl would send the body with a `Content-Range`, and some servers ignore that and replace the whole
            // file.
            guard !hasBody else { throw .invalidHeader("Range") }
            let range = request.range?.end.map { "\(start)-\($0 - 1)" } ?? "\(start)-"
            options.set(CURLOPT_RANGE, range)
        } else if request.acceptsCompression {
            options.set(CURLOPT_ACCEPT_ENCODING, "")
        }
    }

    /// The offset of the first byte to request if only a part of the file is requested; `nil` for the whole file.
    private var partStart: Int? {
        guard plan.request.range != nil || plan.resumption != nil else { return nil }
        return (plan.request.range?.start ?? 0) + (plan.resumption?.count ?? 0)
    }

    private func setFields(_ options: inout EasyOptions) throws(HTTPError) {
        guard plan.request.method.isValid else { throw .invalidHeader(plan.request.method.rawValue) }
        var all = plan.request.headers.fields
        if let resumption = plan.resumption { all.append(.init(name: "If-Range", value: resumption.entityTag)) }
        for field in all where !Self.ownFields.contains(field.name.lowercased()) {
            guard field.isValid else { throw .invalidHeader(field.name) }
            // libcurl omits a field without a value, unless a semicolon replaces the colon.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            try append(line)
        }
        // libcurl would announce every upload with `Expect: 100-continue`, and wait up to a second for servers that do
        // not support this. Sending a small body takes less time, even if the server refuses it.
        if plan.request.body.count < Self.leastAnnounced, plan.request.headers["Expect"] == nil {
            try append("Expect:")
        }
        options.set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(fields))
    }

    private func append(_ line: String) throws(HTTPError) {
        guard let longer = curl_slist_append(fields, line) else { throw .outOfMemory }
        fields = longer
    }

    /// If a body has at least this many bytes, `Expect: 100-continue` announces the body before it is sent.
    private static let leastAnnounced = 1 << 20

    /// The header fields that the transport sets itself.
    private static let ownFields: Set = [
        "host", "content-length", "content-range", "transfer-encoding", "range", "connection",
    ]

    private func setCredentials(_ options: inout EasyOptions) throws(HTTPError) {
        let (user, password): (String, String)
        switch plan.request.credentials {
        case nil: return
        case .bearer(let token):
            guard HTTPHeaders.Field(name: "Authorization", value: token).isValid else {
                throw .invalidHeader("Authorization")
            }
            options.set(CURLOPT_HTTPAUTH, ccurl_auth_bearer)
            options.set(CURLOPT_XOAUTH2_BEARER, token)
            return
        case .basic(user: let name, password: let secret):
            // A colon separates the name from the password in the header field.
            guard !name.utf8.contains(UInt8(ascii: ":")) else { throw .invalidHeader("Authorization") }
            options.set(CURLOPT_HTTPAUTH, ccurl_auth_basic)
            (user, password) = (name, secret)
        case .digest(user: let name, password: let secret):
            options.set(CURLOPT_HTTPAUTH, ccurl_auth_digest)
            (user, password) = (name, secret)
        case .passwordAsRequested(user: let name, password: let secret):
            options.set(CURLOPT_HTTPAUTH, ccurl_auth_basic | ccurl_auth_digest)
            (user, password) = (name, secret)
        }
        guard (user + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidHeader("Authorization")
        }
        options.set(CURLOPT_USERNAME, user)
        options.set(CURLOPT_PASSWORD, password)
    }
}
