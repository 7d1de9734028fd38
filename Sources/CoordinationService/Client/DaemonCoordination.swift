import CLateBinding
import Conduit
import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// The way of this process's coordination to the daemon.
package struct DaemonCoordination: SharedCoordination {
    private let makeConnection: @Sendable (Service) throws -> Connection

    package init(_ entrance: DaemonEntrance) { makeConnection = entrance.connect }

    /// The way of a confined process: the socket that it was started with, which is there once.
    ///
    /// - Returns: `nil` in a process that was started with none.
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
            return try Connection(try SequencedPacketSocket(checking: socket), service: service)
        }
    }

    package func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority {
        var service = Service()
        // The connections' one thread delivers these, in their order.
        service.on(EffectsNotice.self) { notice, _ in receive(notice.effects) }
        service.on(PlaceCall.self) { request, call in
            // Looking at programs takes a while, on a busy machine a long one: that somebody is at it is said at once.
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
            // A daemon that was about to end still took the connection; there will be another one.
            return try connect(service, attempts: attempts - 1)
        } catch {
            connection.close()
            throw error
        }
    }

    /// Makes sure that there is somebody at the other end who coordinates. Blocks until that has answered.
    private static func introduce(_ connection: Connection) throws(ConduitError) {
        _ = try connection.callAndWait(CoordinateCall())
    }
}

/// The daemon's arbiter, at the other end of a connection.
private struct DaemonAuthority: CoordinationAuthority {
    let connection: Connection

    func send(_ event: CoordinationEvent) throws(UnsendableEvent) {
        do {
            try connection.notify(EventNotice(event))
        } catch .disconnected {
            // The connection's end is told to whoever waits, and all that was claimed goes to the next authority.
        } catch .oversized(let size, let limit) {
            throw UnsendableEvent("it would take a message of \(size) bytes, of at most \(limit)")
        } catch {
            // The system refuses, for want of memory, say. All is told anew over the next connection; the daemon keeps what this
            // process was granted meanwhile.
            connection.close()
        }
    }

    func findPlace(
        ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
    ) {
        connection.call(FindPlaceCall(client: client, claim: number)) { completion((try? $0.get())?.words) }
    }
}

/// Found by the coordinators of a program that links this module. The way to the daemon is the exchange's, or the socket that a
/// confined process was started with; a program with neither has none.
@_cdecl("purvey_shared_coordination") package func sharedCoordination() -> UnsafeMutableRawPointer? {
    if let confined = DaemonCoordination(ofConfinedProcess: ProcessInfo.processInfo.environment) {
        return Unmanaged.passRetained(SharedCoordinationBox(confined)).toOpaque()
    }
    guard let pointer = clate_daemon_entrance() else { return nil }
    // Whoever defines that function gives a retained object of this class.
    let entrance = Unmanaged<DaemonEntrance>.fromOpaque(pointer).takeRetainedValue()
    return Unmanaged.passRetained(SharedCoordinationBox(DaemonCoordination(entrance))).toOpaque()
}
