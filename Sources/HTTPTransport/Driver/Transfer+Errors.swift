import CCurl
import Glibc
import LinuxSystem

extension Transfer {
    /// Returns the reason why a transfer ended that libcurl ended itself.
    func error(_ code: CURLcode) -> HTTPError {
        if let status = proxyRefusal { return .proxyRefused(origin, status: status) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(origin)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(origin, text(code))
        case CURLE_COULDNT_CONNECT: return connectionError
        case CURLE_OPERATION_TIMEDOUT:
            return .unreachable(origin, "no connection within \(settings.connectPatience.components.seconds) seconds")
        case CURLE_PEER_FAILED_VERIFICATION: return .untrustedCertificate(origin, trust.refused)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED:
            return .secureConnection(origin, text(code))
        case CURLE_PARTIAL_FILE: return .truncated(origin, received: body?.delivered ?? 0, announced: announcedCount)
        case CURLE_GOT_NOTHING: return .connectionLost(origin, "the server closed it without a reply")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
            guard head.isComplete, let body else { return .connectionLost(origin, text(code)) }
            return .truncated(origin, received: body.delivered, announced: announcedCount)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            return .invalidReply(origin, text(code))
        case CURLE_OUT_OF_MEMORY: return .outOfMemory
        case CURLE_URL_MALFORMAT: return .invalidAddress(plan.request.address.description, "it is malformed")
        default: return .transport(origin, text(code))
        }
    }

    /// The status with which a proxy refused to connect to an encrypted server.
    private var proxyRefusal: Int? {
        var status = 0
        ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
        return status >= 300 ? status : nil
    }

    private var connectionError: HTTPError {
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        if isProxied { return .proxy(origin, text(CURLE_COULDNT_CONNECT)) }
        let error = Errno(rawValue: CInt(truncatingIfNeeded: number))
        if error == .connectionRefused { return .refused(origin) }
        return .unreachable(origin, number == 0 ? text(CURLE_COULDNT_CONNECT) : "\(error)")
    }

    /// The number of bytes that the response's head announces.
    private var announcedCount: Int? {
        head.headers["Content-Length"].flatMap { Int($0) }.map { $0 + (plan.resumption?.count ?? 0) }
    }

    /// libcurl's message for this transfer, or for the code in general.
    private func text(_ code: CURLcode) -> String {
        message.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message)
    }
}
