import Conduit
import Distributed
import Foundation
import LinuxSystem

/// A program's connection to a provider's service. While it is open, the provider's process is kept.
///
/// There are no protocols of Objective-C on Linux: what is at the other end is a distributed actor, to be had from
/// ``remoteActor(as:)``. Handlers are called on threads of their own.
///
/// Source: Foundation, `NSXPCConnection.h`.
public final class NSXPCConnection: NSObject, Sendable {
    private enum Link {
        /// It was not resumed yet.
        case waiting(FileDescriptor)
        case open(ServiceLink)
        case ended
    }

    private struct State {
        var link: Link
        var interruption: (@Sendable () -> Void)?
        var invalidation: (@Sendable () -> Void)?
    }

    // Innermost: links are made and closed, and handlers called, after it is released.
    private let state: Lock<State>
    /// What the service is called.
    public let serviceName: String?

    init(_ socket: FileDescriptor, name: String) {
        state = Lock(State(link: .waiting(socket)))
        serviceName = name
        super.init()
    }

    deinit { close()?.close() }

    /// Called when the other side has gone, once, before ``invalidationHandler``.
    public var interruptionHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.interruption } }
        set { state.withLock { $0.interruption = newValue } }
    }

    /// Called when the connection has ended, once.
    public var invalidationHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.invalidation } }
        set { state.withLock { $0.invalidation = newValue } }
    }

    /// Opens the connection: before that, nothing can be called.
    public func resume() {
        let socket = state.withLock { state -> FileDescriptor? in
            guard case .waiting(let socket) = state.link else { return nil }
            return socket
        }
        guard let socket else { return }
        do throws(Errno) {
            let link = try ServiceLink(socket, translate: { ServiceFailure.error($0) }) { [weak self] _ in
                self?.end(wasInterrupted: true)
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

    /// The same as ``resume()``.
    public func activate() { resume() }

    /// Ends the connection; calls that wait fail.
    public func invalidate() { end(wasInterrupted: false) }

    /// The actor at the other end.
    ///
    ///     let sketches = try connection.remoteActor(as: $Sketching.self)
    ///
    /// - Parameter type: what the macro `@Resolvable` has made of the service's protocol.
    /// - Throws: ``ServiceCallError/connectionLost(_:)`` before ``resume()``, and after the end.
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
            defer { (state.interruption, state.invalidation) = (nil, nil) }
            return ([wasInterrupted ? state.interruption : nil, state.invalidation].compactMap { $0 }, link)
        }
        link?.close()
        guard !handlers.isEmpty else { return }
        HandlerThreads.shared.run { for handler in handlers { handler() } }
    }

    /// Takes the link out. Actors that were had from it are of no use any more.
    private func close() -> ServiceLink? {
        state.withLock { state in
            defer { state.link = .ended }
            if case .open(let link) = state.link { return link }
            return nil
        }
    }
}
