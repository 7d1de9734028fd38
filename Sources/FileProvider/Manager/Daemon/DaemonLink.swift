import CRuntimeSupport
import Conduit
import Dispatch
import FileProviderWire
import Foundation
import LinuxSystem

/// This process's connection to the daemon for requests about providers. The process connects on first use, and again
/// after the daemon has ended.
///
/// Any thread may use it. Only ``wait(for:)`` blocks.
final class DaemonLink: Sendable {
    /// The link of this process; `nil` if the program does not contain the module that connects to the daemon, or if an
    /// environment variable disables connections.
    static let shared: DaemonLink? = {
        // The variable also controls file coordination. The value `process` disables connections to the daemon.
        if ProcessInfo.processInfo.environment["PURVEY_COORDINATION"] == "process" { return nil }
        guard let pointer = clate_daemon_entrance() else { return nil }
        // The function returns a retained `DaemonConnector`.
        return DaemonLink(Unmanaged<DaemonConnector>.fromOpaque(pointer).takeRetainedValue())
    }()

    private let entrance: DaemonConnector
    /// A separate queue, because its blocks wait until the daemon has started, or until a request has a permit.
    private let queue = DispatchQueue(label: "purvey.file-providers")
    // Changed on the queue only.
    private let connection = Lock<Connection?>(nil)

    /// Permits for requests in flight, because a program may send more requests at once than a connection allows. Their
    /// number is somewhat lower than the connection's limit, because the daemon counts a request for a moment longer
    /// than this process.
    private let room = DispatchSemaphore(value: ConnectionLimits().callsInFlight - 96)

    init(_ entrance: DaemonConnector) { self.entrance = entrance }

    /// The maximum number of attempts to send a request. The daemon may end before its reply, because an idle daemon
    /// that is about to end still accepts connections.
    static let attempts = 3

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - attempts: the maximum number of attempts, which must be 1 for a request that may not be repeated.
    ///   - completion: called once, on a thread that must not be blocked.
    func ask<C: ProviderCall>(
        _ request: C, attempts: Int = DaemonLink.attempts,
        _ completion: @escaping @Sendable (Result<C.Value, ProviderError>) -> Void
    ) {
        send(request, over: { try $0.connected() }) { [self] result in
            if attempts > 1, case .failure(.disconnected) = result {
                ask(request, attempts: attempts - 1, completion)
            } else {
                completion(Self.value(of: result))
            }
        } failure: {
            completion(.failure($0))
        }
    }

    /// Sends a request once if a daemon runs. Does not start a daemon.
    ///
    /// - Parameter completion: called once, on a thread that must not be blocked.
    func askIfRunning<C: ProviderCall>(
        _ request: C, _ completion: @escaping @Sendable (Result<C.Value, ProviderError>) -> Void
    ) {
        send(request, over: { try $0.connectedIfRunning() }) {
            completion(Self.value(of: $0))
        } failure: {
            completion(.failure($0))
        }
    }

    /// Sends a request as soon as a permit is free.
    ///
    /// - Parameters:
    ///   - connection: called on the queue; returns `nil` if no daemon runs.
    ///   - failure: called instead of the completion handler if there is no connection.
    private func send<C: ProviderCall>(
        _ request: C, over connection: @escaping @Sendable (DaemonLink) throws -> Connection?,
        _ completion: @escaping @Sendable (Result<C.Reply, ConduitError>) -> Void,
        failure: @escaping @Sendable (ProviderError) -> Void
    ) {
        queue.async { [self] in
            let connected: Connection
            do {
                guard let running = try connection(self) else { return failure(.unreachable("it does not run")) }
                connected = running
            } catch {
                return failure(.unreachable("\(error)"))
            }
            room.wait()
            connected.call(request) { [self] result in
                room.signal()
                completion(result)
            }
        }
    }

    private static func value<Value>(
        of result: Result<ProviderReply<Value>, ConduitError>
    ) -> Result<Value, ProviderError> {
        switch result {
        case .success(let reply): Result { () throws(ProviderError) in try reply.get() }
        case .failure(let error): .failure(.ofDaemon(error))
        }
    }

    /// Sends a request, and blocks until the reply.
    func wait<C: ProviderCall>(for request: C) throws(ProviderError) -> C.Value {
        let answered = Latch()
        let answer = Lock<Result<C.Value, ProviderError>?>(nil)
        ask(request) { result in
            answer.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        guard let result = answer.withLock({ $0 }) else { throw .unreachable("it did not answer") }
        return try result.get()
    }

    /// Returns the connection, and starts the daemon if needed. Called on the queue.
    private func connected() throws -> Connection {
        if let known = try connectedIfRunning() { return known }
        return try keep(try entrance.connect(Service()))
    }

    /// Returns the connection if a daemon runs. Called on the queue.
    ///
    /// - Returns: `nil` if no daemon runs.
    private func connectedIfRunning() throws -> Connection? {
        if let known = connection.withLock({ $0 }), known.closeReason == nil { return known }
        return try entrance.join(Service()).map { try keep($0) }
    }

    /// Stores a new connection for later requests. If the daemon uses other directories than this process, closes the
    /// connection and throws.
    private func keep(_ made: Connection) throws -> Connection {
        do {
            try entrance.check(made)
        } catch {
            made.close()
            throw error
        }
        connection.withLock { $0 = made }
        return made
    }
}

extension ProviderError {
    fileprivate static func unreachable(_ reason: String) -> ProviderError {
        temporary("The Purvey daemon cannot be asked: \(reason).")
    }

    fileprivate static func ofDaemon(_ error: ConduitError) -> ProviderError {
        switch error {
        case .cancelled: ProviderError(.cancelled, message: "It was cancelled.")
        case let error where error.tellsOfAnotherVersion:
            temporary("The Purvey daemon that runs is of another version than this program.")
        case .remote(let failure): temporary(failure.description)
        default: unreachable("\(error)")
        }
    }

    private static func temporary(_ message: String) -> ProviderError {
        ProviderError(
            .transient, message: message, domain: NSFileProviderErrorDomain,
            code: NSFileProviderError.Code.providerDomainTemporarilyUnavailable.rawValue)
    }
}
