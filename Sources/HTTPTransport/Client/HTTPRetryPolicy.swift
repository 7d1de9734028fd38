/// The rules by which a request is repeated.
///
/// A request is repeated after a failure that proves that the server has not seen the request, and after the statuses
/// 425 and 429. It is also repeated after 503, except for methods such as `MKCOL`, whose second attempt fails if the
/// first one has succeeded. A request that only reads is also repeated after a lost connection, missing progress, and
/// the statuses 502 and 504.
public struct HTTPRetryPolicy: Sendable {
    /// The maximum number of attempts, at least 1.
    public var attempts: Int
    /// The pause after the first attempt. It doubles with each further attempt. Each pause is shortened by a random
    /// part, up to one half, so that clients do not all retry at the same time.
    public var firstPause: Duration
    /// The maximum pause. If a server's `Retry-After` is longer, the request is not repeated, and its response is
    /// returned.
    public var longestPause: Duration

    /// Creates rules.
    public init(
        attempts: Int = 4, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(30)
    ) {
        self.attempts = max(1, attempts)
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// The rules by which each request is sent only once.
    public static let never = HTTPRetryPolicy(attempts: 1)

    /// Returns the pause after a failed attempt, or `nil` if no further attempt is made.
    ///
    /// - Parameters:
    ///   - attempt: the number of the failed attempt, from 1.
    ///   - requested: the server's `Retry-After`.
    ///   - chance: a number from 0 to 1.
    func pause(after attempt: Int, requested: Duration?, chance: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        if let requested, requested > longestPause { return nil }
        let doubled = firstPause * (1 << min(attempt - 1, 20))
        let shortened = min(doubled, longestPause) * (1 - min(max(chance, 0), 1) / 2)
        // The requested pause is extended by a random part, up to half of the pause without `Retry-After`. Therefore
        // clients that a server refused at the same time retry at different times.
        return requested.map { $0 + shortened - min(doubled, longestPause) / 2 } ?? shortened
    }

    /// Whether a request with the given method may be repeated after the given error.
    func permits(_ method: HTTPMethod, after error: HTTPError) -> Bool {
        error.isTransient && (error.isUnsent || method.isSafe)
    }

    /// Whether a request with the given method may be repeated after a response with the given status.
    func permits(_ method: HTTPMethod, after status: Int) -> Bool {
        switch status {
        case 425, 429: true
        // A proxy may reply with status 503 after the server has carried out the request.
        case 503: method.isRepeatable
        case 502, 504: method.isSafe
        default: false
        }
    }
}
