import Glibc
import LinuxSystem

/// Accepts connections at a path, from processes of the same user only.
package final class Listener: Sendable {
    private struct State {
        /// The path at which the listener listens; `nil` after the listener was closed.
        var place: ListeningPath?
        var token: UInt64
    }

    private let path: String
    private let service: Service
    private let limits: ConnectionLimits
    private let onConnect: @Sendable (Connection) -> Void
    private let loop: EventLoop
    /// The queue that closes refused connections, and the descriptors that their peers have already sent.
    private let refused = DescriptorCloseQueue()
    /// The state. While its lock is held, only the loop's lock may be acquired.
    private let state: Lock<State>

    /// The duration in milliseconds for which no connections are accepted after the system has run out of descriptors
    /// or memory.
    private static let pauseMilliseconds: Int64 = 50

    /// Listens at the given path. Creates the path's directory if it is missing. The directory must be private to this
    /// user.
    ///
    /// If a process that has ended left a socket at the path, that socket is replaced. The listener accepts connections
    /// until it is closed.
    ///
    /// - Parameters:
    ///   - service: the calls and notices that each connection serves. A handler gets the connection as an argument.
    ///   - onConnect: called on the thread that serves connections for each new connection, before any of its data is
    ///     read. The closure can refuse the connection by closing it.
    package init(
        path: String, service: Service, limits: ConnectionLimits = .init(),
        onConnect: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(ListenerError) {
        let place = try ListeningPath(path: path)
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

    /// Stops accepting connections, and removes the socket from its path. Existing connections continue.
    package func close() {
        let (place, token) = state.withLock { state in
            defer { state.place = nil }
            return (state.place, state.token)
        }
        loop.remove(token: token)
        withExtendedLifetime(place) {}
    }

    /// Whether connections to the path reach this listener. The value is `false` if the socket or its directory was
    /// removed.
    package var isListening: Bool { state.withLock { $0.place }?.isHeld ?? false }

    /// Creates the socket at the path anew, after the socket or its directory was removed. Blocks on the file system.
    ///
    /// - Throws: ``ListenerError/inUse(path:)`` if another process listens at the path in the meantime.
    package func listenAgain() throws(ListenerError) {
        guard let lost = state.withLock({ $0.place }) else { return }
        let place = try ListeningPath(path: path, after: lost)
        let token = loop.makeToken()
        // The new socket is added to the loop before it replaces the old one. If it cannot be added, it is dropped, and
        // a later call of this function tries again.
        do throws(Errno) {
            try loop.add(self, place.socket.descriptor, token: token)
        } catch {
            throw .system(error, path: path)
        }
        let superfluous = state.withLock { state -> UInt64 in
            // The listener was closed meanwhile, so the new place is dropped, too.
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
        // Accepts only a few at a time, so that existing connections get their turn.
        for _ in 0..<16 {
            do {
                try admit(try listening.accept())
            } catch {
                switch error {
                case .wouldBlock: return
                case .processDescriptorLimit, .systemDescriptorLimit, .noBufferSpace, .outOfMemory:
                    return pause(descriptor)
                // The peer has gone before it was accepted or before its credentials were read.
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
            // `onConnect` may have passed the connection on to code that waits for its end.
            connection.finish(.system(error))
            throw error
        }
    }

    /// Stops accepting connections for `pauseMilliseconds`. Without this pause, the loop would spin, because the
    /// descriptor stays readable while connections are in the kernel's queue.
    private func pause(_ descriptor: FileDescriptor) {
        // While ``listenAgain()`` replaces the place, the token of the new one is not known yet.
        let token = state.withLock { $0.place?.socket.descriptor === descriptor ? $0.token : nil }
        guard let token else { return }
        loop.setEvents([], descriptor, token: token)
        loop.perform(afterMilliseconds: Self.pauseMilliseconds) { [self] in
            guard state.withLock({ $0.place?.socket.descriptor === descriptor }) else { return }
            loop.setEvents(.readable, descriptor, token: token)
        }
    }
}

/// The reason why a process cannot listen at a path.
package enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process listens at the path.
    case inUse(path: String)
    /// The file at the path is not a socket. It is left unchanged.
    case notASocket(path: String)
    /// The directory of the path belongs to another user, or other users may access it.
    case unsafeDirectory(path: String)
    case system(Errno, path: String)

    package var description: String {
        switch self {
        case .inUse(let path): "\(path): another process uses this socket"
        case .notASocket(let path): "\(path): an existing file is not a socket"
        case .unsafeDirectory(let path): "\(path): the folder is not this user's alone (owner and mode 0700 are needed)"
        case .system(let error, let path): "\(path): \(error)"
        }
    }
}
