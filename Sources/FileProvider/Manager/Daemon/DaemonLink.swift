import CLateBinding
import Conduit
import Dispatch
import Foundation
import LinuxSystem

/// This process's own way to the daemon, for what it asks about providers. It connects when it is first needed, and again when the
/// daemon has gone meanwhile.
///
/// Any thread may use it. No method blocks.
final class DaemonLink: Sendable {
    /// `nil` in a program that is not linked with the way to the daemon, or is told to do without.
    static let shared: DaemonLink? = {
        // As file coordination has it: nothing of this process goes to the daemon.
        if ProcessInfo.processInfo.environment["PURVEY_COORDINATION"] == "process" { return nil }
        guard let pointer = clate_daemon_entrance() else { return nil }
        // Whoever defines that function gives a retained object of this class.
        return DaemonLink(Unmanaged<DaemonEntrance>.fromOpaque(pointer).takeRetainedValue())
    }()

    private let entrance: DaemonEntrance
    /// Connecting waits for the daemon's start, and a question for room, so it has a queue of its own.
    private let queue = DispatchQueue(label: "purvey.file-providers")
    // Changed on the queue only.
    private let connection = Lock<Connection?>(nil)

    /// For questions that wait for their answers: a program may ask more at once than a connection takes. Somewhat fewer than that,
    /// because the other side counts one for a moment longer.
    private let room = DispatchSemaphore(value: ConnectionLimits().callsInFlight - 96)

    init(_ entrance: DaemonEntrance) { self.entrance = entrance }

    /// How often a question is asked when the daemon goes before it has answered: one that was about to end for lack of work still
    /// takes a connection.
    static let attempts = 3

    /// Asks something.
    ///
    /// - Parameters:
    ///   - attempts: more than one for what does no harm when it is done twice.
    ///   - completion: called once, on a thread that must not be blocked.
    func ask<C: ProviderCall>(
        _ request: C, attempts: Int = DaemonLink.attempts,
        _ completion: @escaping @Sendable (Result<C.Value, ProviderFailure>) -> Void
    ) {
        queue.async { [self] in
            let connection: Connection
            do {
                connection = try connected()
            } catch {
                return completion(.failure(.unreachable("\(error)")))
            }
            room.wait()
            connection.call(request) { [self] result in
                room.signal()
                switch result {
                case .success(let reply): completion(Result { () throws(ProviderFailure) in try reply.get() })
                case .failure(.disconnected) where attempts > 1:
                    ask(request, attempts: attempts - 1, completion)
                case .failure(let error): completion(.failure(.ofDaemon(error)))
                }
            }
        }
    }

    /// Asks a daemon that runs, once; none is started for it.
    ///
    /// - Parameter completion: called once, on a thread that must not be blocked.
    func askIfRunning<C: ProviderCall>(
        _ request: C, _ completion: @escaping @Sendable (Result<C.Value, ProviderFailure>) -> Void
    ) {
        queue.async { [self] in
            let connection: Connection
            do {
                guard let running = try connectedIfRunning() else {
                    return completion(.failure(.unreachable("it does not run")))
                }
                connection = running
            } catch {
                return completion(.failure(.unreachable("\(error)")))
            }
            room.wait()
            connection.call(request) { [self] result in
                room.signal()
                switch result {
                case .success(let reply): completion(Result { () throws(ProviderFailure) in try reply.get() })
                case .failure(let error): completion(.failure(.ofDaemon(error)))
                }
            }
        }
    }

    /// Asks something, and blocks until there is an answer.
    func wait<C: ProviderCall>(for request: C) throws(ProviderFailure) -> C.Value {
        let answered = Latch()
        let answer = Lock<Result<C.Value, ProviderFailure>?>(nil)
        ask(request) { result in
            answer.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        guard let result = answer.withLock({ $0 }) else { throw .unreachable("it did not answer") }
        return try result.get()
    }

    /// On the queue.
    private func connected() throws -> Connection {
        if let known = try connectedIfRunning() { return known }
        return try keep(try entrance.connect(Service()))
    }

    /// On the queue.
    ///
    /// - Returns: `nil` where no daemon runs.
    private func connectedIfRunning() throws -> Connection? {
        if let known = connection.withLock({ $0 }), known.closeReason == nil { return known }
        return try entrance.join(Service()).map { try keep($0) }
    }

    /// Keeps a connection for the questions that come, unless it leads to a daemon that keeps things elsewhere.
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

extension ProviderFailure {
    fileprivate static func unreachable(_ reason: String) -> ProviderFailure {
        temporary("The Purvey daemon cannot be asked: \(reason).")
    }

    fileprivate static func ofDaemon(_ error: ConduitError) -> ProviderFailure {
        switch error {
        case .cancelled: ProviderFailure(.cancelled, message: "It was cancelled.")
        case let error where error.tellsOfAnotherVersion:
            temporary("The Purvey daemon that runs is of another version than this program.")
        case .remote(let failure): temporary(failure.description)
        default: unreachable("\(error)")
        }
    }

    private static func temporary(_ message: String) -> ProviderFailure {
        ProviderFailure(
            .transient, message: message, domain: NSFileProviderErrorDomain,
            code: NSFileProviderError.Code.providerDomainTemporarilyUnavailable.rawValue)
    }
}
