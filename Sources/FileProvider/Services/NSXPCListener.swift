import Foundation
import LinuxSystem

/// Decides about connections to a listener.
///
/// Source: Foundation, `NSXPCConnection.h`.
public protocol NSXPCListenerDelegate: NSObjectProtocol {
    /// Whether a connection is accepted. One that is has got its ``NSXPCConnection/exportedObject`` and was resumed. Called on
    /// any thread.
    func listener(_ listener: NSXPCListener, shouldAcceptNewConnection newConnection: NSXPCConnection) -> Bool
}

extension NSXPCListenerDelegate {
    /// Accepts none.
    public func listener(
        _ listener: NSXPCListener, shouldAcceptNewConnection newConnection: NSXPCConnection
    ) -> Bool { false }
}

/// Takes connections that come by its endpoint.
///
/// Connections that come before ``resume()`` wait. Those that were accepted are kept until they end.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCListener: NSObject, @unchecked Sendable {
    // Sendable: the state is under the lock, and a delegate is asked on any thread, as its protocol says.
    private struct State {
        weak var delegate: (any NSXPCListenerDelegate)?
        var isSuspended = true
        var isInvalid = false
        var waiting: [NSXPCConnection] = []
        var accepted: [ObjectIdentifier: NSXPCConnection] = [:]
    }

    // Innermost: delegates are asked, and connections ended, after it is released.
    private let lock = NSLock()
    // Under the lock.
    private nonisolated(unsafe) var state = State()

    private override init() { super.init() }

    /// Makes a listener that is reached by its endpoint only.
    public class func anonymous() -> NSXPCListener { NSXPCListener() }

    /// Unavailable: there are no services by name on Linux.
    @available(*, unavailable, message: "Linux has no services by name: vend anonymous() from makeListenerEndpoint()")
    public class func service() -> NSXPCListener { NSXPCListener() }

    /// Unavailable: there are no services by name on Linux.
    @available(*, unavailable, message: "Linux has no Mach services: vend anonymous() from makeListenerEndpoint()")
    public convenience init(machServiceName name: String) { self.init() }

    /// Decides about connections. Not kept.
    public weak var delegate: (any NSXPCListenerDelegate)? {
        get { with { $0.delegate } }
        set { with { $0.delegate = newValue } }
    }

    /// The endpoint that the listener is reached by, which keeps it.
    public var endpoint: NSXPCListenerEndpoint { NSXPCListenerEndpoint(self) }

    /// Begins to take connections.
    public func resume() {
        let waiting = with { state in
            state.isSuspended = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for connection in waiting { offer(connection) }
    }

    /// Does the same as ``resume()``.
    public func activate() { resume() }

    /// Makes connections wait until ``resume()``.
    public func suspend() { with { $0.isSuspended = true } }

    /// Refuses connections from now on. Those that were accepted stay.
    public func invalidate() {
        let waiting = with { state in
            state.isInvalid = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for connection in waiting { connection.invalidate() }
    }

    /// Takes the connection over a socket. Returns what ends it.
    func take(_ socket: FileDescriptor, _ ended: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let connection = NSXPCConnection(socket, name: nil)
        let identity = ObjectIdentifier(connection)
        connection.onEnd { [weak self] in
            self?.with { $0.accepted[identity] = nil }
            ended()
        }
        let (isWaiting, isRefused) = with { state in
            if state.isSuspended, !state.isInvalid { state.waiting.append(connection) }
            return (state.isSuspended, state.isInvalid)
        }
        if isRefused {
            connection.invalidate()
        } else if !isWaiting {
            offer(connection)
        }
        return { [weak connection] in connection?.invalidate() }
    }

    private func offer(_ connection: NSXPCConnection) {
        let identity = ObjectIdentifier(connection)
        // Kept first: it may end while the delegate is asked.
        let delegate = with { state in
            state.accepted[identity] = connection
            return state.delegate
        }
        let isAccepted = delegate?.listener(self, shouldAcceptNewConnection: connection) ?? false
        if !isAccepted { connection.invalidate() }
        if connection.hasEnded { with { $0.accepted[identity] = nil } }
    }

    private func with<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }
}
