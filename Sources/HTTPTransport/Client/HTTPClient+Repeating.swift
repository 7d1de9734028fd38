extension HTTPClient {
    typealias Attempt = @Sendable (HTTPRequest, Resumption?) async -> TransferOutcome

    /// Sends a request, follows redirects, and repeats the request as its ``HTTPRetryPolicy`` permits.
    func repeating(_ request: HTTPRequest, _ send: Attempt) async throws(HTTPError) -> HTTPResponse {
        let rules = request.retry ?? configuration.retry
        var attempt = 1
        var resumption: Resumption?
        while true {
            let outcome = await redirecting(request, resumption, send)
            let requested: Duration?
            switch outcome.result {
            case .success(let response):
                guard rules.permits(request.method, after: response.status) else { return response }
                requested = response.retryAfter(now: configuration.now())
            case .failure(let error):
                guard rules.permits(request.method, after: error) else { throw error }
                // A file that has changed is read again from its beginning. Otherwise, the next attempt continues where
                // the last one stopped.
                if case .changed = error { resumption = nil } else { resumption = outcome.resumption ?? resumption }
                requested = nil
            }
            let chance = configuration.chance()
            guard let pause = rules.pause(after: attempt, requested: requested, chance: chance) else {
                return try outcome.result.get()
            }
            do {
                try await configuration.clock.sleep(for: pause)
            } catch {
                throw .cancelled
            }
            attempt += 1
        }
    }

    private func redirecting(
        _ request: HTTPRequest, _ resumption: Resumption?, _ send: Attempt
    ) async -> TransferOutcome {
        var request = request
        var rest = request.redirectLimit
        while true {
            let outcome = await send(request, resumption)
            // The server cannot have carried out the request, because it did not receive the whole body. The request is
            // sent again over HTTP/1.1, which delivers the reply that libcurl lost.
            if outcome.isReplyLost, !request.avoidsMultiplexing {
                request.hasLostReply = true
                continue
            }
            guard case .success(let response) = outcome.result else { return outcome }
            do throws(HTTPError) {
                guard rest > 0 || request.redirectLimit == 0 else {
                    if response.isRedirect { throw .redirect(request.address.origin, "it does so again and again") }
                    return outcome
                }
                guard rest > 0, let next = try request.redirected(by: response) else { return outcome }
                request = next
                rest -= 1
            } catch {
                return .failure(error)
            }
        }
    }
}

extension HTTPResponse {
    /// Whether the server redirects the client to another address.
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && headers["Location"] != nil }
}

extension HTTPRequest {
    /// Returns the request for the target of a redirect; `nil` if the response is not a redirect that can be followed.
    ///
    /// - Throws: ``HTTPError/redirect(_:_:)`` if the request must not be sent to the target.
    func redirected(by response: HTTPResponse) throws(HTTPError) -> HTTPRequest? {
        guard response.isRedirect, let location = response.headers["Location"] else { return nil }
        // The target of a redirect with status 303 describes the result of the request. It may only be read, so only
        // GET and HEAD follow this redirect. Some clients treat the statuses 301 and 302 in the same way, so a request
        // that changes data does not follow these redirects.
        switch response.status {
        case 303: guard method == .get || method == .head else { return nil }
        case 301, 302: guard method.isSafe else { return nil }
        default: break
        }
        let origin = address.origin
        var next = self
        do {
            next.address = try address.resolving(location)
        } catch {
            throw .redirect(origin, "not to an address: \(error)")
        }
        let target = next.address.origin
        guard target != origin else { return next }
        guard target.isSecure || !origin.isSecure else { throw .redirect(origin, "\(target) is not encrypted") }
        guard method.isSafe else { throw .redirect(origin, "\(target) is another server") }
        next.credentials = nil
        next.isAway = true
        for name in ["Authorization", "Proxy-Authorization", "Cookie"] { next.headers[name] = nil }
        return next
    }
}
