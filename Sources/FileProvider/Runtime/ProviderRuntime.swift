import Conduit
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import Secrets

/// A server of the engine's requests in a provider's process. It creates one object of the principal class, for the
/// only domain of the process.
///
/// Each request runs provider code on a separate thread. Requests with the same key run one after the other; others run
/// in parallel. The key is usually the identifier of the item that the request changes.
final class ProviderRuntime: Sendable {
    let enumerators = Enumerators()
    private let turns = ItemQueues()
    /// A closure that installs the backend of this process's managers, and creates the provider.
    private let make: @Sendable (BeginProviderCall, Connection) throws(ProviderError) -> any ServedProvider

    private struct State {
        var provider: (any ServedProvider)?
        /// The connection to the host, until it is closed.
        var connection: Connection?
        var answerTime: Duration = .seconds(30)
        var transferTime: Duration = .seconds(600)
        /// The number of requests whose time limit has passed while provider code is still running for them.
        var stuck = 0
    }

    // Leaf lock.
    private let state = Lock(State())

    /// The number of stuck requests (``State/stuck``) at which the process exits, so that its host restarts it.
    private static let stuckLimit = 16

    init(_ make: @escaping @Sendable (BeginProviderCall, Connection) throws(ProviderError) -> any ServedProvider) {
        self.make = make
    }

    /// The provider, which is `nil` until it is created, and the time limit of a request that transfers no contents.
    var providerAndLimit: (provider: (any ServedProvider)?, limit: Duration) {
        state.withLock { ($0.provider, $0.answerTime) }
    }

    /// The connection to the host; `nil` before the provider is created, and after the connection was closed.
    var connection: Connection? { state.withLock { $0.connection } }

    /// Serves until the host closes the socket.
    func serve(_ socket: FileDescriptor, ended: @escaping @Sendable () -> Void) throws(Errno) {
        var service = Service()
        service.on(BeginProviderCall.self) { request, call in
            HandlerThreads.shared.runHandler {
                do throws(ProviderError) {
                    call.reply(.done(try self.begin(request, call)))
                } catch {
                    call.reply(.failed(error))
                }
            }
        }
        addQuestions(to: &service)
        let connection = try Connection(
            try SequencedPacketSocket(checking: socket), service: service, limits: ProviderWire.limits)
        connection.onClose { _ in
            _ = self.state.withLock { $0.connection.take() }
            guard let provider = self.providerAndLimit.provider else { return ended() }
            HandlerThreads.shared.run {
                provider.end()
                ended()
            }
        }
    }

    private func begin(
        _ request: BeginProviderCall, _ call: ServedCall<BeginProviderCall>
    ) throws(ProviderError) -> Empty {
        guard request.version == ProviderWire.version else {
            throw ProviderError(.unsupported, message: "the extension is of another version than its host")
        }
        do {
            // Removes the temporary files of an earlier process that was killed.
            try? FileManager.default.removeItem(atPath: request.temporary)
            for folder in [request.storage + "/" + request.domainFolder, request.temporary] {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw ProviderError(error)
        }
        // This must come before the creation of the provider, which may read its passwords in the initializer.
        SharedSecrets.use(ConnectedSecrets(call.connection))
        let provider = try make(request, call.connection)
        state.withLock { state in
            state.provider = provider
            state.connection = call.connection
            state.answerTime = .seconds(max(0.1, request.answerTime))
            state.transferTime = .seconds(max(0.1, request.transferTime))
        }
        return Empty()
    }

    /// The kind of a request, which determines its time limit.
    enum Length {
        case answer
        case transfer
    }

    /// Adds a handler for one type of request.
    ///
    /// - Parameters:
    ///   - key: returns the key of a request. Requests with the same key run one after the other; requests with the key
    ///     `nil` do not wait.
    ///   - changed: returns the identifier of the item that a request changes; `nil` if it changes no item.
    ///   - body: calls the provider's code. It may block.
    func on<C: ProviderCall>(
        _: C.Type, _ length: Length = .answer, key: @escaping @Sendable (C) -> String?,
        changing changed: @escaping @Sendable (C) -> String? = { _ in nil }, in service: inout Service,
        _ body: @escaping @Sendable (C, any ServedProvider, EngineRequest) throws(ProviderError) -> C.Value
    ) {
        service.on(C.self) { request, call in
            let (provider, limit) = self.state.withLock { state in
                (state.provider, length == .answer ? state.answerTime : state.transferTime)
            }
            guard let provider else {
                return call.reply(.failed(ProviderError(.transient, message: "the provider has not been made yet")))
            }
            HandlerThreads.shared.runHandler {
                self.work(on: call, key(request), limit) { engineRequest throws(ProviderError) in
                    try CurrentChange.run(changed(request)) { () throws(ProviderError) in
                        try body(request, provider, engineRequest)
                    }
                }
            }
        }
    }

    private func work<C: ProviderCall>(
        on call: ServedCall<C>, _ key: String?, _ limit: Duration,
        _ body: (EngineRequest) throws(ProviderError) -> C.Value
    ) {
        let stage = Lock(Stage())
        let engineRequest = EngineRequest(limit: limit, report: { call.report(completed: $0, total: $1) }) { failure in
            call.reply(.failed(failure))
            let (turn, isStuck) = stage.withLock { stage in
                stage.isStuck = stage.isWorking && failure.kind != .cancelled
                return (stage.turn, stage.isStuck)
            }
            if isStuck {
                turn?.end()
                self.count(stuck: 1)
            } else if let turn {
                // Provider code usually returns soon after a cancellation. If it does not, the turn ends after one more
                // time limit.
                Deadlines.shared.run(after: limit) { turn.end() }
            }
        }
        call.onCancel { engineRequest.cancel() }
        let turn = key.map { Turn(turns, $0) }
        stage.withLock { stage in
            stage.turn = turn
            stage.isWorking = true
        }
        let result: Result<C.Value, ProviderError>
        do throws(ProviderError) {
            // The time limit may have passed while the request waited for its turn.
            if let over = engineRequest.over { throw over }
            result = .success(try body(engineRequest))
        } catch {
            result = .failure(error)
        }
        engineRequest.finish()
        turn?.end()
        // This reply has no effect if a failure was sent already, because only the first reply counts.
        call.reply(ProviderReply(result))
        if stage.withLock({ $0.isStuck }) { count(stuck: -1) }
    }

    /// The state of a request that waits for its turn or whose provider code is running.
    private struct Stage {
        var turn: Turn?
        var isWorking = false
        /// Whether the time limit passed while the provider's code was still working.
        var isStuck = false
    }

    private func count(stuck change: Int) {
        let stuck = state.withLock { state in
            state.stuck += change
            return state.stuck
        }
        guard stuck >= Self.stuckLimit else { return }
        let words = "\(stuck) questions to the provider have had no answer for too long\n"
        FileHandle.standardError.write(Data(words.utf8))
        // `_exit` and not `exit`, whose handlers may wait for the stuck code.
        _exit(1)
    }
}
