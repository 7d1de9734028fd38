import HTTPTransport
import XMLStream

extension DAVError {
    /// Creates the error for a request without a response.
    package init(_ error: HTTPError) {
        self =
            switch error {
            case .untrustedCertificate(let origin, let certificate): .untrustedCertificate(origin, certificate)
            default: .transport(error)
            }
    }

    /// Creates the error for a status other than 2xx.
    ///
    /// - Parameters:
    ///   - path: the path that the status concerns.
    ///   - response: the response, which may contain the reason and the time after which to retry.
    package init(status: Int, _ path: String, _ response: HTTPResponse, _ method: HTTPMethod) {
        let origin = response.address.origin
        // Without the server's own time, a date in `Retry-After` has no meaning.
        let hasTime = response.date != nil || response.headers["Retry-After"].flatMap { Int64($0) } != nil
        let after = hasTime ? response.retryAfter(now: HTTPDate(seconds: 0)) : nil
        self =
            switch status {
            case 302, 303, 307: .signInPage(origin)
            case 401: .notSignedIn(origin)
            case 403: .forbidden(path, reason: Self.reason(response))
            case 404, 410: .notFound(path)
            case 405 where method == .mkcol: .exists(path)
            case 405 where method == .propfind, 501 where method == .propfind: .noWebDAV(origin)
            case 405, 501: .notAllowed(method, path)
            case 409: .parentMissing(path)
            case 412: .requirementFailed(path)
            case 413: .tooLarge(path)
            case 416: .pastEnd(path, size: Self.size(response))
            case 423: .locked(path, owner: nil)
            case 429: .tooManyRequests(origin, after: after)
            case 503: .unavailable(origin, after: after)
            case 507: .noSpace(origin)
            default: .status(status, path)
            }
    }

    /// Returns the error for a reply that cannot be parsed. If the reply is a web page, the error says so.
    package static func unreadable(_ response: HTTPResponse, beginning: [UInt8], _ reason: String) -> DAVError {
        let text = String(decoding: beginning.prefix(65_536), as: UTF8.self).lowercased()
        let type = response.headers["Content-Type"]?.lowercased() ?? ""
        let isPage = type.hasPrefix("text/html") || text.contains("<html") || text.contains("<!doctype html")
        let origin = response.address.origin
        guard isPage else { return .invalidReply(origin, reason) }
        let asksToSignIn = ["type=\"password\"", "type='password'", "login", "sign in", "signin"].contains {
            text.contains($0) || response.address.path.lowercased().contains($0)
        }
        return asksToSignIn ? .signInPage(origin) : .noWebDAV(origin)
    }

    /// Returns the reason in the body of a refusal, from the elements `message` or `responsedescription`; `nil` if it
    /// has none.
    private static func reason(_ response: HTTPResponse) -> String? {
        guard let error = try? DAVTreeBuilder.document(response.body) else { return nil }
        let found = error.children.first { $0.name.local == "message" || $0.name == .dav("responsedescription") }
        let text = found?.wholeText.trimmed.prefix(300) ?? ""
        return text.isEmpty ? nil : String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Returns the size in `Content-Range: bytes */1234`; `nil` if the response has no such header field.
    private static func size(_ response: HTTPResponse) -> Int? {
        response.headers["Content-Range"]?.split(separator: "/").last.flatMap { Int($0) }
    }
}
