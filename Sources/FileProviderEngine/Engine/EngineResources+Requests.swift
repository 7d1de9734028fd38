import FileProviderWire

/// A page of a container's items, with the request that fetched it. The request shows whether the page is stale.
struct RequestedPage: Sendable {
    let page: ItemPage
    let request: ReplyOrdering.Request

    /// Whether this page is the last one, or its token for the next page has a valid length.
    var hasUsableNext: Bool { (page.next?.count ?? 0) <= ProviderWire.longestToken }
}

/// Sends the requests to the provider that several components need. They may be sent from any thread.
extension EngineResources {
    /// The maximum number of attempts of a request that fails temporarily.
    private static let attempts = 3
    /// The delay in seconds before the second attempt.
    private static let firstPause = 1.0

    /// Sends a request. Retries it after a temporary failure, such as the end of the provider's process.
    func patiently<Value: Sendable>(
        _ ask: @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        var attempt = 1
        while true {
            do throws(ProviderError) {
                return try await ask()
            } catch {
                guard error.isWorthAnotherAttempt, attempt < Self.attempts, !Task.isCancelled, !isClosed else {
                    throw error
                }
                // A request restarts a process that has ended, so the first retry needs no delay.
                if error.kind != .processEnded || attempt > 1 {
                    await clock.wait(Self.firstPause * Double(1 << (attempt - 1)))
                }
                attempt += 1
            }
        }
    }

    /// Requests one page of a container's items.
    ///
    /// - Parameter page: The token of the requested page; `nil` for the first page.
    func page(of container: String, after page: [UInt8]?) async throws(ProviderError) -> RequestedPage {
        let size = configuration.pageSize
        let request = replies.beginRequest()
        let answer = try await patiently { [provider] () async throws(ProviderError) in
            try await provider.page(of: container, after: page, suggestedSize: size)
        }
        return RequestedPage(page: answer, request: request)
    }

    /// Requests the current sync anchor of a container. Returns `nil` if the container has none, or if its anchor has
    /// more than 500 bytes.
    func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]? {
        do throws(ProviderError) {
            let anchor = try await patiently { [provider] () async throws(ProviderError) in
                try await provider.currentAnchor(of: container)
            }
            return anchor.flatMap { $0.count <= ProviderWire.longestToken ? $0 : nil }
        } catch {
            // The provider may support enumerating items even if it has no anchors.
            guard error.kind == .unsupported else { throw error }
            return nil
        }
    }
}
