import CCurl
import LinuxSystem

/// The attempt of a libcurl handle to make a connection, which may have failed.
struct ConnectionAttempt {
    let easy: UnsafeMutableRawPointer
    /// The buffer for libcurl's message.
    let message: UnsafeMutablePointer<CChar>
    let origin: HTTPOrigin
    let settings: TransferSettings
    let trust: TrustRules

    /// Returns the reason why no connection was made; `nil` if the transfer failed after the connection was made.
    func failure(_ code: CURLcode) -> HTTPError? {
        if let status = proxyRefusal { return .proxyRefused(origin, status: status) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(origin)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(origin, text(code))
        case CURLE_COULDNT_CONNECT: return unreachable
        case CURLE_OPERATION_TIMEDOUT:
            return .unreachable(origin, "no connection within \(settings.connectPatience.components.seconds) seconds")
        case CURLE_PEER_FAILED_VERIFICATION: return .untrustedCertificate(origin, trust.refused)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED:
            return .secureConnection(origin, text(code))
        default: return nil
        }
    }

    /// The status with which a proxy refused to connect to the server; `nil` if no proxy refused.
    private var proxyRefusal: Int? {
        var status = 0
        ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
        return status >= 300 ? status : nil
    }

    private var unreachable: HTTPError {
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        if settings.proxy(for: origin) != nil { return .proxy(origin, text(CURLE_COULDNT_CONNECT)) }
        let error = Errno(rawValue: CInt(truncatingIfNeeded: number))
        if error == .connectionRefused { return .refused(origin) }
        return .unreachable(origin, number == 0 ? text(CURLE_COULDNT_CONNECT) : "\(error)")
    }

    /// Returns libcurl's message for this handle or, if there is none, the general message for the code.
    func text(_ code: CURLcode) -> String {
        // libcurl's message may quote the address of a proxy with its password.
        let hasPassword = settings.proxy(for: origin)?.contains("@") == true
        return message.pointee == 0 || hasPassword
            ? String(cString: curl_easy_strerror(code)) : String(cString: message)
    }
}
