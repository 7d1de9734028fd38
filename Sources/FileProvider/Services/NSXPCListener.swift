import Foundation
import LinuxSystem

/// A delegate that accepts or refuses connections to a listener.
///
/// Source: Foundation, `NSXPCConnection.h`.
public protocol NSXPCListenerDelegate: NSObjectProtocol {
    /// Returns whether to accept a connection. To accept a connection, set its ``NSXPCConnection/exportedObject``,
    /// resume it and return `true`. Called on any thread.
    func listener(_ listener: NSXPCListener, shouldAcceptNewConnection newConnection: NSXPCConnection) -> Bool
}

extension NSXPCListenerDelegate {
    /// Refuses all connections.
    public func listener(
        _ listener: NSXPCListener, shouldAcceptNewConnection newConnection: NSXPCConnection
    ) -> Bool { false }
}

/// A listener for connections to its endpoint.
///
/// Connections that arrive before ``resume()`` wait. Accepted connections are retained until they end.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCListener: NSObject, @unchecked Sendable {
    // Sendable: the lock protects the state, and the delegate's protocol allows calls on any thread.
    private struct State {
        weak var delegate: (any NSXPCListenerDelegate)?
        var isSuspended = true
        var isInvalid = false
        var waiting: [NSXPCConnection] = []
        var accepted: [ObjectIdentifier: NSXPCConnection] = [:]
    }

    // Leaf lock: the delegate is called, and connections are ended, after it is released.
    private let lock = NSLock()
    // Protected by `lock`.
    private nonisolated(unsafe) var state = State()

    private override init() { super.init() }

    /// Returns a listener that can be reached only through its endpoint.
    public class func anonymous() -> NSXPCListener { NSXPCListener() }

    /// Unavailable: Linux has no services by name.
    @available(*, unavailable, message: "Linux has no services by name: vend anonymous() from makeListenerEndpoint()")
    public class func service() -> NSXPCListener { NSXPCListener() }

    /// Unavailable: Linux has no services by name.
    @available(*, unavailable, message: "Linux has no Mach services: vend anonymous() from makeListenerEndpoint()")
    public convenience init(machServiceName name: String) { self.init() }

    /// The delegate, which decides about connections. It is not retained.
    public weak var delegate: (any NSXPCListenerDelegate)? {
        get { with { $0.delegate } }
        set { with { $0.delegate = newValue } }
    }

    /// The listener's endpoint, which retains the listener.
    public var endpoint: NSXPCListenerEndpoint { NSXPCListenerEndpoint(self) }

    /// Begins to accept connections.
    public func resume() {
        let waiting = with { state in
            state.isSuspended = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for connection in waiting { offer(connection) }
    }

    /// Begins to accept connections, as ``resume()``.
    public func activate() { resume() }

    /// Makes new connections wait until ``resume()``.
    public func suspend() { with { $0.isSuspended = true } }

    /// Refuses new connections from now on. Accepted connections stay open.
    public func invalidate() {
        let waiting = with { state in
            state.isInvalid = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for connection in waiting { connection.invalidate() }
    }

    /// Offers the delegate a connection over the given socket. While the listener is suspended, the connection waits.
    /// Returns a closure that ends the connection.
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
        // The connection is retained before the delegate is called, because the connection may end during the call.
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
