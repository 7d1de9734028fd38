import FileProviderWire

/// Requests the pages of one listing ahead, while earlier pages are written to the index.
///
/// Each page contains the token of the next page, so the requests are sent one after the other. The provider can
/// compute a page while the engine writes an earlier one. At most ``depth`` pages are requested ahead.
struct PagesAhead {
    /// The reply to a request for a page; `nil` if no further page exists.
    private typealias Answer = Result<RequestedPage, ProviderError>?

    /// The maximum number of pages that are requested before ``next()`` has returned them.
    private static let depth = 2

    private let ask: @Sendable ([UInt8]?) async throws(ProviderError) -> RequestedPage
    private var requests: [Task<Answer, Never>] = []
    /// The page that the last call of ``next()`` returned; released at the following call.
    private var given: RequestedPage?
    private var isBegun = false

    /// Creates the sequence of a listing's pages.
    ///
    /// - Parameter ask: A function that requests the page with the given token, or the first page for `nil`.
    init(asking ask: @escaping @Sendable ([UInt8]?) async throws(ProviderError) -> RequestedPage) { self.ask = ask }

    /// Returns the next page, or `nil` after the last one.
    ///
    /// - Throws: The provider's failure. No page is returned after it. If the token of the returned page is too long,
    ///   the following call throws.
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

    /// Starts the request for a page, which is sent when the previous page has arrived. The request runs on another
    /// thread than the engine's, which is busy with writing.
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
