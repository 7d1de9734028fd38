import Distributed
import LinuxSystem

/// A connection to one distributed actor in another process. The connection is closed when the last reference to this
/// object is released.
package final class ServiceLink: Sendable, Hashable {
    private let connection: Connection
    /// A function that converts an error from the actor to an error that code in this process can match.
    private let translate: @Sendable (RemoteError) -> any Error

    /// Connects to the actor that is served at the other end of a socket.
    ///
    /// - Parameters:
    ///   - service: the calls that the other side can make over this connection.
    ///   - ended: called once when the connection ends, on the thread that serves connections.
    package init(
        _ socket: FileDescriptor, service: Service = Service(),
        translate: @escaping @Sendable (RemoteError) -> any Error, ended: @escaping @Sendable (CloseReason) -> Void
    ) throws(Errno) {
        // The peer is confined, because services are offered by file providers.
        connection = try Connection(
            try SequencedPacketSocket(checking: socket), service: service, limits: .ofServices, isPeerConfined: true)
        self.translate = translate
        connection.onClose(ended)
    }

    deinit { connection.close() }

    /// Closes the connection. Every call that waits for a reply fails.
    package func close() { connection.close() }

    package static func == (left: ServiceLink, right: ServiceLink) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    func call(_ target: String, _ arguments: [[UInt8]]) async throws -> [UInt8] {
        do throws(ConduitError) {
            return try await connection.call(ServiceInvocationCall(target: target, arguments: arguments)).value
        } catch {
            throw meaning(of: error)
        }
    }

    private func meaning(of error: ConduitError) -> any Error {
        switch error {
        case .cancelled: return CancellationError()
        case .disconnected(let reason): return ServiceCallError.connectionLost("\(reason)")
        case .oversized(let size, let limit):
            return ServiceCallError.tooLarge("the arguments take \(size) bytes, of at most \(limit)")
        case .tooManyCalls(let limit): return ServiceCallError.tooManyCalls(limit: limit)
        case .remote(let failure):
            switch failure.conduitCode {
            case .oversized: return ServiceCallError.tooLarge(failure.message)
            case .replyNotSent: return ServiceCallError.tooLarge(failure.message)
            case .tooManyCalls: return ServiceCallError.tooManyCalls(limit: ConnectionLimits.ofServices.callsInFlight)
            case .unanswered: return ServiceCallError.connectionLost("the call was given up there")
            case .some: return ServiceCallError.mismatch(failure.message)
            case nil: break
            }
            return ServiceFault.error(failure) ?? translate(failure)
        case .malformed, .tooManyDescriptors, .descriptorsLost, .refused, .system:
            return ServiceCallError.connectionLost("\(error)")
        }
    }
}

extension ServiceActorSystem {
    /// Serves calls of an actor over a socket, until the other side closes it.
    ///
    /// - Parameters:
    ///   - describe: converts an error that the actor throws to the error that is sent to the caller.
    ///   - ended: called once when the connection ends, on the thread that serves connections.
    /// - Returns: a function that closes the connection.
    package func serve<Act: DistributedActor>(
        _ actor: Act, over socket: FileDescriptor, describe: @escaping @Sendable (any Error) -> RemoteError,
        ended: @escaping @Sendable () -> Void
    ) throws(Errno) -> @Sendable () -> Void where Act.ActorSystem == ServiceActorSystem {
        let connection = try Connection(
            try SequencedPacketSocket(checking: socket), service: service(of: actor, describe: describe),
            limits: .ofServices)
        connection.onClose { _ in ended() }
        return { connection.close() }
    }

    /// Returns a ``Service`` that serves calls of the functions of an actor.
    ///
    /// - Parameter describe: converts an error that the actor throws to the error that is sent to the caller.
    package func service<Act: DistributedActor>(
        of actor: Act, describe: @escaping @Sendable (any Error) -> RemoteError
    ) -> Service where Act.ActorSystem == ServiceActorSystem {
        let described: @Sendable (any Error) -> RemoteError = { error in
            switch error {
            case let error as ServiceCallError: ServiceFault.failure(error)
            case is ExecuteDistributedTargetError: ServiceFault.failure(.mismatch("the actor has no such function"))
            default: describe(error)
            }
        }
        let functions = ServiceFunctions(of: Act.self)
        var service = Service()
        service.on(ServiceInvocationCall.self) { request, call in
            let task = Task {
                var arguments = ServiceInvocationDecoder(request.arguments, of: Act.self)
                do {
                    try functions.check(request.target)
                    try await self.executeDistributedTarget(
                        on: actor, target: RemoteCallTarget(request.target), invocationDecoder: &arguments,
                        handler: ServiceResultHandler(call: call, describe: described))
                } catch {
                    call.fail(described(error))
                }
            }
            call.onCancel { task.cancel() }
        }
        return service
    }

    /// Returns a ``Service`` for an actor whose type is known only at run time; `nil` if the actor belongs to another
    /// actor system.
    package func service(
        ofAny actor: any DistributedActor, describe: @escaping @Sendable (any Error) -> RemoteError
    ) -> Service? {
        func servable<Act: DistributedActor>(_ actor: Act) -> (any ServableActor)? {
            ActorOfSomeSystem(actor: actor) as? any ServableActor
        }
        return servable(actor)?.service(describe: describe)
    }
}

/// A wrapper that conforms to ``ServableActor`` if the actor belongs to a ``ServiceActorSystem``.
private struct ActorOfSomeSystem<Act: DistributedActor> {
    let actor: Act
}

private protocol ServableActor {
    func service(describe: @escaping @Sendable (any Error) -> RemoteError) -> Service
}

extension ActorOfSomeSystem: ServableActor where Act.ActorSystem == ServiceActorSystem {
    func service(describe: @escaping @Sendable (any Error) -> RemoteError) -> Service {
        ServiceActorSystem.shared.service(of: actor, describe: describe)
    }
}

/// Converts the actor system's own errors to errors that can be sent, and back.
private enum ServiceFault {
    private static let domain = "PurveyService"

    private enum Code: Int64 {
        case mismatch = 1
        case genericFunction = 2
        case actorAsValue = 3
        case noSuchActor = 4
    }

    static func failure(_ error: ServiceCallError) -> RemoteError {
        let (code, message): (Code, String) =
            switch error {
            case .mismatch(let words): (.mismatch, words)
            case .genericFunction: (.genericFunction, error.description)
            case .actorAsValue: (.actorAsValue, error.description)
            case .noSuchActor: (.noSuchActor, error.description)
            case .connectionLost, .tooLarge, .tooManyCalls: (.mismatch, error.description)
            }
        return RemoteError(domain: domain, code: code.rawValue, message: message)
    }

    /// Returns the error of the actor system that `failure` represents; `nil` if the failure has another domain.
    static func error(_ failure: RemoteError) -> ServiceCallError? {
        guard failure.domain == domain else { return nil }
        switch Code(rawValue: failure.code) {
        case .genericFunction: return .genericFunction
        case .actorAsValue: return .actorAsValue
        case .noSuchActor: return .noSuchActor
        case .mismatch, nil: return .mismatch(failure.message)
        }
    }
}

extension ConnectionLimits {
    fileprivate static let ofServices = ConnectionLimits(
        messageSize: ServiceActorSystem.longestMessage, callsInFlight: 1024, queuedBytes: 64 << 20)
}
