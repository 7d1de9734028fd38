import CLateBinding
import Conduit
import FileCoordination
import LinuxSystem

/// The way of this process's coordination to the daemon.
package struct DaemonCoordination: SharedCoordination {
    private let entrance: DaemonEntrance

    package init(_ entrance: DaemonEntrance) { self.entrance = entrance }

    package func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority {
        var service = Service()
        // The connections' one thread delivers these, in their order.
        service.on(EffectsNotice.self) { notice, _ in receive(notice.effects) }
        service.on(PlaceCall.self) { request, call in
            HandlerThreads.shared.run { call.reply(.init(place: place(request.claim))) }
        }
        let connection = try connect(service, attempts: 5)
        connection.onClose { _ in lost() }
        return DaemonAuthority(connection: connection)
    }

    private func connect(_ service: Service, attempts: Int) throws -> Connection {
        let connection = try entrance.connect(service)
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
        let answered = Latch()
        let answer = Answer()
        connection.call(CoordinateCall()) { result in
            answer.result.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        if case .failure(let error) = answer.result.withLock({ $0 }) { throw error }
    }

    private final class Answer: Sendable {
        let result = Lock<Result<Empty, ConduitError>?>(nil)
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

/// Found by the coordinators of a program that links this module. The way to the daemon is the exchange's; a program without
/// that has none.
@_cdecl("purvey_shared_coordination") package func sharedCoordination() -> UnsafeMutableRawPointer? {
    guard let pointer = clate_daemon_entrance() else { return nil }
    // Whoever defines that function gives a retained object of this class.
    let entrance = Unmanaged<DaemonEntrance>.fromOpaque(pointer).takeRetainedValue()
    return Unmanaged.passRetained(SharedCoordinationBox(DaemonCoordination(entrance))).toOpaque()
}
