import Conduit
import Distributed
import Foundation
import LinuxSystem

/// A program's connection to a provider's service. While the connection is open, the provider's process keeps running.
///
/// Linux has no Objective-C protocols. Therefore the object at the other end is a distributed actor, which
/// ``remoteActor(as:)`` returns. The local object that the other end calls, ``exportedObject``, is a distributed actor,
/// too. Handlers are called on separate threads.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCConnection: NSObject, Sendable {
    private enum Link {
        /// A connection that was not resumed yet.
        case waiting(FileDescriptor)
        case open(ServiceLink)
        case ended
    }

    private struct State {
        var link: Link
        var interruption: (@Sendable () -> Void)?
        var invalidation: (@Sendable () -> Void)?
        /// A closure that is called when the connection ends, before the program's handlers.
        var ended: (@Sendable () -> Void)?
        var exported: (any DistributedActor)?
        var exportedInterface: NSXPCInterface?
        var remoteInterface: NSXPCInterface?
    }

    // Leaf lock: links are made and closed, and handlers called, after it is released.
    private let state: Lock<State>
    /// The name of the service.
    public let serviceName: String?

    convenience init(_ socket: FileDescriptor, name: String?) { self.init(.waiting(socket), name: name) }

    private init(_ link: sending Link, name: String?) {
        state = Lock(State(link: link))
        serviceName = name
        super.init()
    }

    /// Creates a connection to an endpoint of this process.
    public convenience init(listenerEndpoint endpoint: NSXPCListenerEndpoint) {
        self.init((try? endpoint.connect()).map { .waiting($0) } ?? .ended, name: nil)
    }

    /// Unavailable: Linux has no services by name.
    @available(*, unavailable, message: "Linux has no services by name: take NSFileProviderService's connection")
    public convenience init(serviceName: String) { self.init(.ended, name: serviceName) }
    /// Unavailable: Linux has no services by name.
    @available(*, unavailable, message: "Linux has no Mach services: take NSFileProviderService's connection")
    public convenience init(machServiceName name: String, options: Options = []) { self.init(.ended, name: name) }

    /// Options of a connection.
    public struct Options: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// An option for a service of the whole system.
        public static let privileged = Options(rawValue: 1 << 12)
    }

    deinit {
        close()?.close()
        state.withLock { $0.ended.take() }?()
    }

    /// The distributed actor that the other end calls. Its actor system is ``ServiceActorSystem``. Set it before
    /// ``resume()``.
    ///
    /// Without Objective-C, another process cannot call other kinds of objects.
    public var exportedObject: (any DistributedActor)? {
        get { state.withLock { $0.exported } }
        set { state.withLock { $0.exported = newValue } }
    }

    /// The interface of the exported object. It has no effect: the other end may call all distributed functions of
    /// ``exportedObject``.
    public var exportedInterface: NSXPCInterface? {
        get { state.withLock { $0.exportedInterface } }
        set { state.withLock { $0.exportedInterface = newValue } }
    }

    /// The interface of the remote object. It has no effect: the argument of ``remoteActor(as:)`` is the actor's type.
    public var remoteObjectInterface: NSXPCInterface? {
        get { state.withLock { $0.remoteInterface } }
        set { state.withLock { $0.remoteInterface = newValue } }
    }

    /// Unavailable: proxies need Objective-C.
    @available(
        *, unavailable, message: "Linux has no Objective-C: make the protocol @Resolvable and call remoteActor(as:)"
    )
    public var remoteObjectProxy: Any { () }
    /// Unavailable: proxies need Objective-C.
    @available(
        *, unavailable, message: "Linux has no Objective-C: make the protocol @Resolvable and call remoteActor(as:)"
    )
    public func remoteObjectProxyWithErrorHandler(_ handler: @escaping @Sendable (any Error) -> Void) -> Any { () }
    /// Unavailable: proxies need Objective-C.
    @available(
        *, unavailable, message: "Linux has no Objective-C: make the protocol @Resolvable and call remoteActor(as:)"
    )
    public func synchronousRemoteObjectProxyWithErrorHandler(
        _ handler: @escaping @Sendable (any Error) -> Void
    ) -> Any { () }

    /// Unavailable: a connected pair of sockets has the credentials of the process that created it.
    @available(*, unavailable, message: "Linux does not report the process at the other end of this connection")
    public var processIdentifier: pid_t { 0 }
    /// Unavailable: a connected pair of sockets has the credentials of the process that created it.
    @available(*, unavailable, message: "the other end always belongs to this process's user")
    public var effectiveUserIdentifier: uid_t { 0 }
    /// Unavailable: a connected pair of sockets has the credentials of the process that created it.
    @available(*, unavailable, message: "the other end always belongs to this process's user")
    public var effectiveGroupIdentifier: gid_t { 0 }
    /// Unavailable: any number of processes can connect to an endpoint, but this connection has only one other end.
    @available(*, unavailable, message: "pass the endpoint of an NSXPCListener")
    public var endpoint: NSXPCListenerEndpoint? { nil }
    /// Unavailable: the functions of a distributed actor do not know the connection over which they are called.
    @available(*, unavailable, message: "vend one actor per connection, from listener(_:shouldAcceptNewConnection:)")
    public class func current() -> NSXPCConnection? { nil }
    /// Unavailable: calls cannot be held back once the connection is open.
    @available(*, unavailable, message: "suspend the NSXPCListener, or invalidate the connection")
    public func suspend() {}
    /// Unavailable: Linux has no audit sessions.
    @available(*, unavailable, message: "Linux has no audit sessions")
    public var auditSessionIdentifier: Int32 { 0 }
    /// Unavailable: a distributed call returns after the other end has replied.
    @available(*, unavailable, message: "await the distributed calls: each returns after the other end has replied")
    public func scheduleSendBarrierBlock(_ block: @escaping @Sendable () -> Void) {}

    /// Whether the connection has ended.
    var hasEnded: Bool {
        state.withLock { state in
            if case .ended = state.link { true } else { false }
        }
    }

    /// Sets a closure that is called when the connection ends, before the handlers.
    func onEnd(_ ended: @escaping @Sendable () -> Void) { state.withLock { $0.ended = ended } }

    /// A handler that is called once, before ``invalidationHandler``, if the other end closes the connection.
    public var interruptionHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.interruption } }
        set { state.withLock { $0.interruption = newValue } }
    }

    /// A handler that is called once when the connection has ended.
    public var invalidationHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.invalidation } }
        set { state.withLock { $0.invalidation = newValue } }
    }

    /// Opens the connection. Before this call, neither end can call functions of the other end. If ``exportedObject``
    /// has another actor system than ``ServiceActorSystem``, the connection ends.
    public func resume() {
        let (socket, exported) = state.withLock { state -> (FileDescriptor?, (any DistributedActor)?) in
            guard case .waiting(let socket) = state.link else { return (nil, nil) }
            return (socket, state.exported)
        }
        guard let socket else { return }
        var service = Service()
        if let exported {
            let calls = ServiceActorSystem.shared.service(ofAny: exported, describe: { ServiceFailure.of($0) })
            guard let calls else { return end(wasInterrupted: false) }
            service = calls
        }
        do throws(Errno) {
            let link = try ServiceLink(socket, service: service, translate: { ServiceFailure.error($0) }) {
                [weak self] _ in self?.end(wasInterrupted: true)
            }
            let isOpen = state.withLock { state in
                guard case .waiting = state.link else { return false }
                state.link = .open(link)
                return true
            }
            if !isOpen { link.close() }
        } catch {
            end(wasInterrupted: true)
        }
    }

    /// Opens the connection, as ``resume()``.
    public func activate() { resume() }

    /// Ends the connection. Calls in progress fail.
    public func invalidate() { end(wasInterrupted: false) }

    /// Returns the actor at the other end.
    ///
    /// ```swift
    /// let sketches = try connection.remoteActor(as: $Sketching.self)
    /// ```
    ///
    /// - Parameter type: the type that the macro `@Resolvable` creates from the service's protocol.
    /// - Throws: ``ServiceCallError/connectionLost(_:)`` before ``resume()``, and after the connection has ended.
    public func remoteActor<Act: DistributedActor>(as type: Act.Type) throws -> Act
    where Act.ActorSystem == ServiceActorSystem {
        let link = state.withLock { state -> ServiceLink? in
            if case .open(let link) = state.link { link } else { nil }
        }
        guard let link else { throw ServiceCallError.connectionLost("it is not open") }
        return try Act.resolve(id: ServiceActorID(link), using: .shared)
    }

    private func end(wasInterrupted: Bool) {
        let (handlers, link) = state.withLock { state -> ([@Sendable () -> Void], ServiceLink?) in
            var link: ServiceLink?
            switch state.link {
            case .ended: return ([], nil)
            case .open(let open): link = open
            case .waiting: break
            }
            state.link = .ended
            state.exported = nil
            defer { (state.interruption, state.invalidation, state.ended) = (nil, nil, nil) }
            let handlers = [state.ended, wasInterrupted ? state.interruption : nil, state.invalidation]
            return (handlers.compactMap { $0 }, link)
        }
        link?.close()
        guard !handlers.isEmpty else { return }
        HandlerThreads.shared.run { for handler in handlers { handler() } }
    }

    /// Sets the state to ended, and returns the link if it was open.
    private func close() -> ServiceLink? {
        state.withLock { state in
            defer { state.link = .ended }
            if case .open(let link) = state.link { return link }
            return nil
        }
    }
}

/// The interface of an object at one end of a connection: the protocol to which the object conforms.
///
/// The class exists for programs that create interfaces. It has no effect: without Objective-C, a protocol has no
/// information about its functions at run time, and only the distributed functions of an actor can be called.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCInterface: NSObject, Sendable {
    /// The protocol, such as `(any Counting).self`.
    public let `protocol`: Any.Type

    /// Creates an interface for a protocol, such as `(any Counting).self`.
    public init(with protocol: Any.Type) {
        self.protocol = `protocol`
        super.init()
    }
}
