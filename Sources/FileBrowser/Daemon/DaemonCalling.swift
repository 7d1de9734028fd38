import Conduit
import Exchange
import LinuxSystem

/// A connection to the daemon. Tests replace it.
package protocol DaemonCalling: Sendable {
    /// Makes a call. Cancelling the task cancels the call.
    ///
    /// - Parameter progress: called on any thread as the daemon reports progress.
    func call<C: Call>(
        _ request: C, progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws(BrowserError) -> C.Reply

    /// Waits until a new connection may succeed after the last one ended. Returns at once if the task is cancelled.
    func waitForDaemon() async
}

extension DaemonCalling {
    func call<C: Call>(_ request: C) async throws(BrowserError) -> C.Reply {
        try await call(request, progress: nil)
    }
}

/// The user's own daemon, which is started on demand.
package final class UserDaemon: DaemonCalling {
    private let client: ExchangeClient

    package init(_ client: ExchangeClient = .shared) { self.client = client }

    package func call<C: Call>(
        _ request: C, progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws(BrowserError) -> C.Reply {
        let connection: Connection
        do throws(ExchangeError) {
            connection = try await withCheckedContinuation { continuation in
                client.withConnection { continuation.resume(returning: $0) }
            }.get()
        } catch {
            throw BrowserError(error)
        }
        do throws(ConduitError) {
            return try await connection.call(request, progress: progress)
        } catch {
            throw BrowserError(error)
        }
    }

    private static let pause: Duration = .milliseconds(500)

    /// Waits for half a second. If the daemon was stopped on request, it must not be started again. In this case, waits
    /// until another process starts the daemon.
    package func waitForDaemon() async {
        while (try? await Task.sleep(for: Self.pause)) != nil {
            guard client.daemonWasToldToEnd else { return }
            if await isRunning() { return }
        }
    }

    private func isRunning() async -> Bool {
        guard let socket = try? client.locations.get().socket else { return true }
        return await HandlerThreads.shared.value {
            guard let connection = try? Connection.connect(to: socket) else { return false }
            connection.close()
            return true
        }
    }
}
