/// Reads a state of the daemon for several callers, with one request at a time.
///
/// Replies to simultaneous requests may arrive in any order, so that an older state could replace a newer one for good.
/// A caller that comes during a request waits for the next request. The daemon may have composed the reply to the
/// running request before the change that the caller wants to read.
@MainActor final class SerialReading {
    private var running: Task<Void, Never>?
    /// The number of calls so far, and how many of them a completed request has served.
    private var callCount = 0
    private var servedCount = 0
    /// The failure of the last completed request; `nil` if it succeeded.
    private var failure: BrowserError?

    /// Returns after a request that began after this call.
    ///
    /// - Parameter request: makes the request and stores its reply. If several callers wait, it runs once for all of
    ///   them.
    /// - Throws: the failure of the request.
    func read(_ request: @escaping @MainActor () async throws(BrowserError) -> Void) async throws(BrowserError) {
        callCount += 1
        let call = callCount
        while servedCount < call {
            if let running {
                await running.value
                continue
            }
            let included = callCount
            running = Task {
                do throws(BrowserError) {
                    try await request()
                    failure = nil
                } catch {
                    failure = error
                }
                servedCount = included
                running = nil
            }
        }
        if let failure { throw failure }
    }

    /// Cancels the running request.
    func cancel() { running?.cancel() }
}
