import Conduit
import FileProvider
import FileProviderWire
import LinuxSystem

/// Forwards a provider's questions during a set-up to the command that the user runs. A question fails outside of a
/// set-up, or if the client does not answer questions.
final class SetUpQuestions: Sendable {
    // Leaf lock.
    private let user = Lock<Connection?>(nil)

    /// Runs a function, and forwards questions to a client until the function ends. Cancels the function if the client
    /// closes its connection, as an interrupted command does.
    func during<Value: Sendable>(
        _ client: Connection?, _ body: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        user.withLock { $0 = client }
        defer { _ = user.withLock { $0.take() } }
        let work = Task { () -> Result<Value, ProviderError> in
            do throws(ProviderError) { return .success(try await body()) } catch { return .failure(error) }
        }
        client?.onClose { _ in work.cancel() }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        return try result.get()
    }

    /// Adds the calls that a provider's process makes.
    func addCalls(to service: inout Service) {
        service.on(SetUpCredentialsCall.self) { request, call in self.pass(request, call) }
        service.on(SetUpOpenCall.self) { request, call in self.pass(request, call) }
        service.on(SetUpReportNotice.self) { notice, _ in
            // A client that has ended needs no report.
            try? self.user.withLock { $0 }?.notify(notice)
        }
    }

    private func pass<C: Call>(_ request: C, _ call: ServedCall<C>) {
        guard let user = user.withLock({ $0 }) else {
            return call.fail(SetUpFault.remote(.unasked, "The set-up needs a terminal: use 'purvey'."))
        }
        let task = Task {
            do throws(ConduitError) {
                call.reply(try await user.call(request))
            } catch .remote(let failure) where failure.domain == SetUpFault.domain {
                call.fail(failure)
            } catch {
                call.fail(SetUpFault.remote(.interrupted, "The set-up was interrupted."))
            }
        }
        call.onCancel { task.cancel() }
    }

    /// Returns the connection to a client that answers questions, on the socket that it has sent.
    static func client(at socket: FileDescriptor?) throws(DomainError) -> Connection? {
        guard let socket else { return nil }
        var service = Service()
        service.on(SetUpFlushCall.self) { _, call in call.reply(Empty()) }
        do throws(Errno) {
            return try Connection(
                try SequencedPacketSocket(checking: socket), service: service,
                limits: ConnectionLimits(unreadBytes: 256 << 10))
        } catch {
            throw DomainError("the questions of the set-up cannot be asked: \(error)")
        }
    }
}
