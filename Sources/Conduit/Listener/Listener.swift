import Glibc
import LinuxSystem

/// Takes connections at a path, from processes of the same user only.
package final class Listener: Sendable {
    private struct State {
        /// `nil` once closed.
        var place: ListeningPlace?
        var token: UInt64
    }

    private let path: String
    private let service: Service
    private let limits: ConnectionLimits
    private let onConnect: @Sendable (Connection) -> Void
    private let loop: EventLoop
    /// Closes connections that are turned down, with what their peers have sent already.
    private let refused = ClosingLane()
    /// Inside of it only the loop's lock is taken.
    private let state: Lock<State>

    /// How long to take no connections after descriptors ran out.
    private static let pauseMilliseconds: Int64 = 50

    /// Listens at a path, whose directory is made if it is missing and must be this user's alone.
    ///
    /// A socket that a process left there when it ended is replaced. The listener stays until it is closed.
    ///
    /// - Parameters:
    ///   - service: what each connection does for the other side. Handlers tell connections apart by the exchange.
    ///   - onConnect: called on the connections' thread for each new connection, before anything it sends is read.
    ///     It can turn the connection down by closing it.
    package init(
        path: String, service: Service, limits: ConnectionLimits = .init(),
        onConnect: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(ListenerError) {
        let place = try ListeningPlace(path: path)
        do throws(Errno) {
            loop = try EventLoop.shared()
        } catch {
            throw .system(error, path: path)
        }
        let token = loop.makeToken()
        state = Lock(State(place: place, token: token))
        self.path = path
        self.service = service
        self.limits = limits
        self.onConnect = onConnect
        do throws(Errno) {
            try loop.add(self, place.socket.descriptor, token: token)
        } catch {
            throw .system(error, path: path)
        }
    }

    /// Takes no more connections and removes the socket from its path. Connections made before go on.
    package func close() {
        let (place, token) = state.withLock { state in
            defer { state.place = nil }
            return (state.place, state.token)
        }
        loop.remove(token: token)
        withExtendedLifetime(place) {}
    }

    /// Whether whoever connects to the path comes here: not once somebody has removed the socket or its folder.
    package var isInPlace: Bool { state.withLock { $0.place }?.isHeld ?? false }

    /// Listens at the path anew, after the socket or its folder was removed. Blocks on the file system.
    ///
    /// - Throws: ``ListenerError/inUse(path:)`` when another process has taken the path meanwhile.
    package func takePlaceAgain() throws(ListenerError) {
        guard let lost = state.withLock({ $0.place }) else { return }
        let place = try ListeningPlace(path: path, after: lost)
        let token = loop.makeToken()
        // First: a place at which nobody is served is none, and another attempt has to find it lost.
        do throws(Errno) {
            try loop.add(self, place.socket.descriptor, token: token)
        } catch {
            throw .system(error, path: path)
        }
        let superfluous = state.withLock { state -> UInt64 in
            // Closed in the meantime: the new place goes as well.
            guard state.place != nil else { return token }
            defer { (state.place, state.token) = (place, token) }
            return state.token
        }
        loop.remove(token: superfluous)
    }
}

extension Listener: EventSource {
    func handle(_ events: EventPoll.Events, _ descriptor: FileDescriptor, buffer: UnsafeMutableRawBufferPointer) {
        let listening = SequencedPacketSocket(descriptor)
        // A few at a time, so that those who are connected get their turn.
        for _ in 0..<16 {
            do {
                try admit(try listening.accept())
            } catch {
                switch error {
                case .wouldBlock: return
                case .processDescriptorLimit, .systemDescriptorLimit, .noBufferSpace, .outOfMemory:
                    return pause(descriptor)
                // The one who connected has given up again, or is gone before it could be asked who it is.
                default: continue
                }
            }
        }
    }

    private func admit(_ socket: SequencedPacketSocket) throws(Errno) {
        let peer: Peer
        do throws(Errno) {
            guard try socket.peerCredentials().userID == geteuid() else {
                socket.descriptor.close(on: refused)
                return
            }
            peer = try Peer(of: socket, identifyingProcess: true)
        } catch {
            socket.descriptor.close(on: refused)
            throw error
        }
        let connection = try Connection(socket, peer: peer, service: service, limits: limits)
        onConnect(connection)
        do throws(Errno) {
            try connection.start()
        } catch {
            // It may be known to others already, who wait for its end.
            connection.finish(.system(error))
            throw error
        }
    }

    /// Leaves those who connect waiting for a moment. They stay in the system's queue, and the descriptor stays
    /// readable: without a pause the loop would spin.
    private func pause(_ descriptor: FileDescriptor) {
        let token = state.withLock { $0.token }
        loop.setEvents([], descriptor, token: token)
        loop.perform(afterMilliseconds: Self.pauseMilliseconds) { [self] in
            guard state.withLock({ $0.place?.socket.descriptor === descriptor }) else { return }
            loop.setEvents(.readable, descriptor, token: token)
        }
    }
}
