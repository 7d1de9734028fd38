/// A server's reply to a request, regardless of its status.
public struct HTTPResponse: Sendable {
    /// A version of the protocol.
    public enum Version: Sendable {
        case http1
        case http2
    }

    /// The status, from 200 to 599.
    public let status: Int
    /// The header fields of the final response, without those of earlier responses such as interim responses (1xx).
    public let headers: HTTPHeaders
    /// The body, if the destination is memory or the status is not 2xx. If the status is not 2xx, the body is truncated
    /// to 64 KiB.
    public let body: [UInt8]
    /// The number of bytes that the destination received.
    public let deliveredCount: Int
    /// The range of the file that the server sent, if it reported the range. A server may send a range with status 200,
    /// or the whole file although a range was requested. The destination receives the requested range in any case.
    public let contentRange: HTTPContentRange?
    /// The address after all redirects.
    public let address: HTTPAddress
    /// The version of the protocol.
    public let version: Version

    /// Whether the status is 2xx.
    public var isSuccess: Bool { 200..<300 ~= status }

    /// The date of the reply by the server's clock; `nil` if the server did not send it.
    public var date: HTTPDate? { headers["Date"].flatMap { HTTPDate($0) } }

    /// The size of the whole file; `nil` if the server did not report it.
    public var totalCount: Int? {
        if let contentRange { return contentRange.total }
        return headers["Content-Length"].flatMap { Int($0) }
    }

    /// Returns the time to wait before the request may be repeated, from the header field `Retry-After`; `nil` if the
    /// field is missing or invalid.
    ///
    /// A date is compared with the server's own clock, or with `now` if the server does not send its time.
    public func retryAfter(now: HTTPDate) -> Duration? {
        guard let value = headers["Retry-After"] else { return nil }
        if let seconds = Int64(value) { return seconds >= 0 ? .seconds(min(seconds, Self.longestWait)) : nil }
        return HTTPDate(value).map { .seconds(min(max(0, $0.seconds - (date ?? now).seconds), Self.longestWait)) }
    }

    /// Returns the response if its status is 2xx.
    ///
    /// - Throws: ``HTTPError/status(_:_:)`` for any other status.
    @discardableResult
    public func requireSuccess() throws(HTTPError) -> HTTPResponse {
        guard isSuccess else { throw .status(status, address.origin) }
        return self
    }

    /// The maximum wait in seconds, a year, so that a number from a server does not cause an overflow.
    private static let longestWait: Int64 = 366 * 86_400
}
