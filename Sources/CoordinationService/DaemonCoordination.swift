import CRuntimeSupport
import Conduit
import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// Connects this process's file coordination to the daemon.
package struct DaemonCoordination: SharedCoordination {
    private let makeConnection: @Sendable (Service) throws -> Connection

    package init(_ entrance: DaemonConnector) { makeConnection = entrance.connect }

    /// Creates the connection of a confined process, over the socket that it inherited at its start. The socket can be
    /// used only once.
    ///
    /// - Returns: `nil` if the process was started without a socket.
    init?(ofConfinedProcess environment: [String: String]) {
        guard let number = environment[CoordinationLink.environmentKey].flatMap({ CInt($0) }), number > 2,
            fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        let link = Lock<FileDescriptor?>(FileDescriptor(owning: number))
        makeConnection = { service in
            let socket = link.withLock { link in
                defer { link = nil }
                return link
            }
            guard let socket else {
                throw ConduitError.refused("the socket that the process was started with is closed")
            }
            var limits = ConnectionLimits()
            // The daemon closes the connection when it receives a larger message.
            limits.sentMessageSize = ClaimLimits.messageBytes
            return try Connection(try SequencedPacketSocket(checking: socket), service: service, limits: limits)
        }
    }

    package func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority {
        var service = Service()
        // All effects are delivered on one thread, the one that serves connections, and therefore in order.
        service.on(EffectsNotice.self) { notice, _ in receive(notice.effects) }
        service.on(CallSiteCall.self) { request, call in
            // Resolving symbols may take a long time on a busy machine, so progress is reported at once.
            call.report(completed: 0, total: 1)
            HandlerThreads.shared.run { call.reply(.init(place: place(request.claim))) }
        }
        let connection = try connect(service, attempts: 5)
        connection.onClose { _ in lost() }
        return DaemonAuthority(connection: connection)
    }

    private func connect(_ service: Service, attempts: Int) throws -> Connection {
        let connection = try makeConnection(service)
        do {
            try Self.introduce(connection)
            return connection
        } catch .disconnected where attempts > 1 {
            // A daemon that was about to end still accepted the connection. The next attempt reaches its successor.
            return try connect(service, attempts: attempts - 1)
        } catch {
            connection.close()
            throw error
        }
    }

    /// Checks that the other end supports coordination. Blocks until the other end replies.
    private static func introduce(_ connection: Connection) throws(ConduitError) {
        _ = try connection.callAndWait(CoordinateCall())
    }
}

/// The daemon's arbiter at the other end of a connection.
private struct DaemonAuthority: CoordinationAuthority {
    let connection: Connection

    func send(_ event: CoordinationEvent) throws(UnsendableEventError) {
        do {
            try connection.notify(EventNotice(event))
        } catch .disconnected {
            // `onClose` reports the lost connection to waiting callers. All claims are repeated to the next
            // authority.
        } catch .oversized(let size, let limit) {
            throw UnsendableEventError("it would take a message of \(size) bytes, of at most \(limit)")
        } catch {
            // The system could not send the message, for example for lack of memory. All state is sent again over the
            // next connection; meanwhile the daemon retains the claims that it granted to this process.
            connection.close()
        }
    }

    func findPlace(
        ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
    ) {
        connection.call(FindCallSiteCall(client: client, claim: number)) { completion((try? $0.get())?.words) }
    }
}

/// Returns a retained `SharedCoordinationBox` that connects to the daemon. In a confined process, the connection uses
/// the inherited socket. Returns `nil` if the process has no way to connect. `NSFileCoordinator` looks up this function
/// by name, and so finds it only in programs that link this module.
@_cdecl("purvey_shared_coordination") package func sharedCoordination() -> UnsafeMutableRawPointer? {
    if let confined = DaemonCoordination(ofConfinedProcess: ProcessInfo.processInfo.environment) {
        return Unmanaged.passRetained(SharedCoordinationBox(confined)).toOpaque()
    }
    guard let pointer = clate_daemon_entrance() else { return nil }
    // `clate_daemon_entrance` returns the result of the function that it finds: a retained `DaemonConnector`.
    let entrance = Unmanaged<DaemonConnector>.fromOpaque(pointer).takeRetainedValue()
    return Unmanaged.passRetained(SharedCoordinationBox(DaemonCoordination(entrance))).toOpaque()
}
