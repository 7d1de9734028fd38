import FileProviderWire

/// The pages of one listing, requested ahead while earlier ones are written to the index.
///
/// Each page contains the token of the next one, so pages are requested one after the other. The writer and the
/// provider work in parallel, as long as the provider is less than ``depth`` pages ahead.
struct PagesAhead {
    /// The reply to a request; `nil` if no further page exists.
    private typealias Answer = Result<RequestedPage, ProviderError>?

    /// The maximum number of pages that are requested and not yet returned.
    private static let depth = 2

    private let ask: @Sendable ([UInt8]?) async throws(ProviderError) -> RequestedPage
    private var requests: [Task<Answer, Never>] = []
    /// The page that ``next()`` returned last, until the following call.
    private var given: RequestedPage?
    private var isBegun = false

    /// Creates a sequence of pages.
    ///
    /// - Parameter ask: requests the page for a token, or the first page for `nil`.
    init(asking ask: @escaping @Sendable ([UInt8]?) async throws(ProviderError) -> RequestedPage) { self.ask = ask }

    /// Returns the next page, or `nil` after the last one.
    ///
    /// - Throws: the provider's failure, after which no further page is returned. After a page whose token is too long,
    ///   the next call fails.
    mutating func next() async throws(ProviderError) -> RequestedPage? {
        if let written = given.take() {
            // Releasing thousands of items takes time, so it does not happen on the thread that writes.
            defer { Task.detached { withExtendedLifetime(written) {} } }
            guard written.hasUsableNext else {
                throw ProviderError(
                    .badAnswer,
                    message: "The provider gave a page token of more than \(ProviderWire.longestToken) bytes.")
            }
            guard written.page.next != nil else { return nil }
        } else if !isBegun {
            isBegun = true
            enqueue(after: nil)
        } else {
            return nil
        }
        let request = requests.removeFirst()
        let answer = await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
        while requests.count < Self.depth { enqueue(after: requests.last ?? request) }
        given = try answer?.get()
        return given
    }

    /// Cancels the requests for pages that were not returned yet.
    func cancel() {
        for request in requests { request.cancel() }
    }

    /// Requests a page after the previous page has arrived. The request does not run on the engine's thread, which is
    /// busy writing.
    private mutating func enqueue(after before: Task<Answer, Never>?) {
        let request = Task.detached { [ask] () -> Answer in
            var next: [UInt8]?
            if let before {
                guard case .success(let page)? = await before.value, page.hasUsableNext, page.page.next != nil else {
                    return nil
                }
                next = page.page.next
            }
            guard !Task.isCancelled else { return .failure(.closed) }
            do throws(ProviderError) {
                return .success(try await ask(next))
            } catch {
                return .failure(error)
            }
        }
        requests.append(request)
    }
}
