import Conduit
import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

/// This process's connection to the daemon, and the items that the process offers through it.
///
/// The client connects on first use, and starts the daemon if necessary. If the daemon ends while items are offered,
/// the client reconnects and offers the same items under the same identifiers.
///
/// Any thread may use the client. No method blocks. Completion handlers run on the thread that serves connections, or
/// on a queue of this class.
package final class ExchangeClient: Sendable {
    /// The client of the user's own daemon, or of the daemon in `PURVEY_HOME` if that is set.
    package static let shared = ExchangeClient(Result { () throws(ExchangeError) in try Locations.current() })

    /// The locations of the daemon, or the reason why they are unknown.
    package let locations: Result<Locations, ExchangeError>
    /// A closure that is called with a sentence if the daemon does not reply over a new connection for some seconds.
    /// The client continues to wait. Programs set a closure that prints the sentence; libraries do not.
    package let silenceHandler = Lock<(@Sendable (String) -> Void)?>(nil)
    /// The queue on which the client connects. Connecting may block until the daemon has started.
    private let queue = DispatchQueue(label: "purvey.exchange-client")

    package typealias Waiter = @Sendable (Result<Connection, ExchangeError>) -> Void

    private enum Link {
        case idle
        case connecting
        case connected(Connection)
    }

    private struct State {
        var link = Link.idle
        /// The functions to call when the connection that is being opened is open, or has failed.
        var waiters: [Waiter] = []
        /// The number of connections that were opened so far.
        var generation = 0
        var connectedAt = DispatchTime.now()
        /// Whether the daemon has announced that it ends on request. If so, the client does not restart it merely to
        /// offer its items again.
        var endedOnPurpose = false
        /// The number of consecutive failures to reconnect. If the daemon ends shortly after it was connected, this
        /// counts as a failure, too.
        var failures = 0
    }

    // Leaf lock: connections are used and completion handlers run after it is released.
    private let state = Lock(State())
    /// The items that this process offers.
    let offers = OfferList()
    /// The limit of the number of concurrent offer calls. With this limit, a program that offers thousands of items at
    /// once stays within the connection's limits.
    let offering = AsyncSemaphore(permits: 1_024)

    package convenience init(_ locations: Locations) { self.init(.success(locations)) }

    private init(_ locations: Result<Locations, ExchangeError>) { self.locations = locations }

    /// The number of the current connection. If there is none, the number of the last connection; 0 if there was none
    /// yet.
    var generation: Int { state.withLock { $0.generation } }

    /// Whether this client has reconnected within the last few seconds, so that other processes may not have
    /// reconnected yet.
    var isFresh: Bool {
        state.withLock { $0.generation > 1 && DispatchTime.now() < $0.connectedAt + .seconds(3) }
    }

    /// Whether the daemon of the last connection announced that it would end on request.
    package var daemonWasToldToEnd: Bool { state.withLock { $0.endedOnPurpose } }

    /// Calls a function with the connection to the daemon, or with an error. If the connection is open, calls the
    /// function at once. Otherwise, first opens the connection and starts the daemon if necessary.
    package func withConnection(_ body: @escaping Waiter) {
        enum Step {
            case use(Connection)
            case wait
            case connect
        }
        let step = state.withLock { state -> Step in
            switch state.link {
            case .connected(let connection) where connection.closeReason == nil:
                return .use(connection)
            case .connecting:
                state.waiters.append(body)
                return .wait
            case .idle, .connected:
                state.link = .connecting
                state.waiters.append(body)
                return .connect
            }
        }
        switch step {
        case .use(let connection): body(.success(connection))
        case .wait: break
        case .connect: queue.async { self.connect(startingDaemon: true) }
        }
    }

    /// Makes a call to the daemon.
    ///
    /// - Parameter attempts: The maximum number of attempts. A further attempt is made if the daemon ends before it
    ///   replies, because it was idle or was restarted. Only an idempotent call may be attempted more than once.
    func call<C: Call>(
        _ request: C, attempts: Int = 1, completion: @escaping @Sendable (Result<C.Reply, ExchangeError>) -> Void
    ) {
        withConnection { result in
            switch result {
            case .success(let connection):
                connection.call(request) { result in
                    if case .failure(.disconnected) = result, attempts > 1 {
                        return self.call(request, attempts: attempts - 1, completion: completion)
                    }
                    completion(result.mapError { ExchangeError($0) })
                }
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    /// Makes a call to the daemon.
    package func call<C: Call>(_ request: C, attempts: Int = 1) async throws(ExchangeError) -> C.Reply {
        try await withCheckedContinuation { continuation in
            call(request, attempts: attempts) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Makes a call to the daemon if a connection is open. Otherwise, calls the completion handler at once.
    func callIfConnected<C: Call>(_ request: C, completion: @escaping @Sendable () -> Void) {
        let connection = state.withLock { state in
            if case .connected(let connection) = state.link { connection } else { nil as Connection? }
        }
        guard let connection else { return completion() }
        connection.call(request) { _ in completion() }
    }

    /// Closes the connection, and ends all offers. The next use of the client connects again.
    package func disconnect() {
        offers.endAll()
        let connection = state.withLock { state -> Connection? in
            guard case .connected(let connection) = state.link else { return nil }
            state.link = .idle
            return connection
        }
        connection?.close()
    }
}

// MARK: - Connecting

extension ExchangeClient {
    /// Connects to the daemon. Runs on `queue`.
    private func connect(startingDaemon: Bool) {
        do throws(ExchangeError) {
            let connection = try openConnection(startingDaemon: startingDaemon)
            state.withLock { state in
                state.generation += 1
                state.connectedAt = .now()
            }
            connection.onClose { [weak self] in self?.lost(connection, $0) }
            // The items are offered again before waiting calls are made, so that other processes find them.
            offers.offerAgain(over: connection)
            let waiters = state.withLock { state in
                state.link = .connected(connection)
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter(.success(connection)) }
        } catch {
            let waiters = state.withLock { state in
                state.link = .idle
                state.failures += 1
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter(.failure(error)) }
            connectAgain()
        }
    }

    private func openConnection(startingDaemon: Bool) throws(ExchangeError) -> Connection {
        let locations = try locations.get()
        var attempt = 1
        while true {
            let connection = try openConnection(locations, startingDaemon: startingDaemon)
            // The flag is reset before the daemon's first reply. After the first reply, the daemon may announce its end
            // at any time.
            state.withLock { $0.endedOnPurpose = false }
            do throws(ExchangeError) {
                try check(connection, locations)
                return connection
            } catch {
                connection.close()
                // A daemon that was about to end still accepted the connection. The next attempt reaches its
                // successor.
                guard case .interrupted = error, attempt < Self.connectingAttempts else { throw error }
                attempt += 1
            }
        }
    }

    private static let connectingAttempts = 5
    /// The time after which `silenceHandler` is called if the daemon does not reply.
    private static let silenceLimit = DispatchTimeInterval.seconds(5)

    /// Checks that the daemon uses the same directories as this process. This is the first call of a connection. It
    /// blocks as long as the daemon's process is suspended.
    private func check(_ connection: Connection, _ locations: Locations) throws(ExchangeError) {
        let process = connection.peer.credentials.processID
        let report = DispatchWorkItem { [weak self] in
            self?.silenceHandler.withLock { $0 }?(
                "the daemon at \(locations.socket) (process \(process)) does not answer; waiting for it")
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.silenceLimit, execute: report)
        defer { report.cancel() }
        try locations.check(connection)
    }

    private func openConnection(_ locations: Locations, startingDaemon: Bool) throws(ExchangeError) -> Connection {
        do throws(ConduitError) {
            return try connectNow(locations)
        } catch .system(.noSuchFile) {
            guard startingDaemon else { throw ExchangeError.daemonUnavailable("it is not running") }
        } catch .system(.connectionRefused) {
            guard startingDaemon else { throw ExchangeError.daemonUnavailable("it is not running") }
        } catch {
            throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
        }
        try DaemonLauncher.start(locations)
        do throws(ConduitError) {
            return try connectNow(locations)
        } catch {
            throw ExchangeError.daemonUnavailable("\(locations.socket): \(error)")
        }
    }

    private func connectNow(_ locations: Locations) throws(ConduitError) -> Connection {
        var service = Service()
        service.on(AcceptConsumerCall.self) { [offers] request, call in
            offers.accept(request, call)
        }
        service.on(OfferReplacedNotice.self) { [offers] notice, _ in
            offers.remove(notice.identifier)?.offer.end()
        }
        service.on(DaemonEndingNotice.self) { [weak self] _, _ in
            self?.state.withLock { $0.endedOnPurpose = true }
        }
        return try .connect(to: locations.socket, service: service)
    }

    private func lost(_ connection: Connection, _ reason: CloseReason) {
        let isOurs = state.withLock { state in
            guard case .connected(let current) = state.link, current == connection else { return false }
            state.link = .idle
            // A daemon that ends repeatedly is restarted with growing delays.
            state.failures = DispatchTime.now() > state.connectedAt + .seconds(5) ? 0 : state.failures + 1
            return true
        }
        if isOurs { connectAgain() }
    }

    /// Reconnects after a delay that increases with each failure. Does nothing if this process offers no items.
    private func connectAgain() {
        guard !offers.isEmpty else { return }
        let failures = state.withLock { $0.failures }
        let delay = DispatchTimeInterval.milliseconds(failures == 0 ? 0 : min(1_000, 25 << min(failures, 6)))
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self, !offers.isEmpty else { return }
            let (isIdle, endedOnPurpose) = state.withLock { state in
                guard case .idle = state.link else { return (false, false) }
                state.link = .connecting
                return (true, state.endedOnPurpose)
            }
            if isIdle { connect(startingDaemon: !endedOnPurpose) }
        }
    }
}

extension ExchangeError {
    init(_ error: ConduitError) {
        switch error {
        case .remote(let failure) where failure.domain == ExchangeRefusalError.domain:
            self = failure.code == ExchangeRefusalError.noSuchItem.code ? .noSuchItem : .refused(failure.message)
        case let error where error.tellsOfAnotherVersion: self = .refused(ConduitError.daemonOfAnotherVersion)
        case .cancelled: self = .cancelled
        case .tooManyCalls, .oversized: self = .refused("\(error)")
        case .disconnected(let reason): self = .interrupted("\(reason)")
        default: self = .interrupted("\(error)")
        }
    }
}
