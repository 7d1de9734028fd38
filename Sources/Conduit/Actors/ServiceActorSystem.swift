import Distributed
import LinuxSystem

/// The system of distributed actors whose functions other processes can call. The services of file providers are such
/// actors.
///
/// A service is a `public` protocol that both sides know:
///
///     @Resolvable
///     public protocol Sketching: DistributedActor where ActorSystem == ServiceActorSystem {
///         distributed func count(of name: String) async throws -> Int
///     }
///
/// The protocol must not be nested in another type. Arguments and results are `Codable`, and are not actors. Functions
/// must not be generic. An actor type whose functions are called without such a protocol must not be generic, either.
///
/// Another process can call only functions of the actor's own type and of protocols that this type conforms to,
/// regardless of the function name that it sends. A call with its arguments, and a reply, take at most
/// ``longestMessage`` bytes.
///
/// Calls run concurrently as far as the actor allows. If the task that waits for a call is cancelled, the task that
/// runs the call in the other process is cancelled. When the connection ends, running calls are cancelled, and waiting
/// calls fail.
///
/// Any thread may use the actor system.
public final class ServiceActorSystem: DistributedActorSystem {
    /// The identity of an actor.
    public typealias ActorID = ServiceActorID
    /// The type that encodes the arguments of a call to be sent.
    public typealias InvocationEncoder = ServiceInvocationEncoder
    /// The type that decodes the arguments of a received call.
    public typealias InvocationDecoder = ServiceInvocationDecoder
    /// The type that replies to a received call.
    public typealias ResultHandler = ServiceResultHandler
    /// The protocol to which arguments and results must conform.
    public typealias SerializationRequirement = any Codable

    /// The actor system of this process. All actors of the process belong to it.
    public static let shared = ServiceActorSystem()

    /// The maximum size of a call or of a reply, in bytes.
    public static let longestMessage = 8 << 20

    private struct State {
        var next: UInt64 = 1
        var actors: [UInt64: WeakActor] = [:]
    }

    private struct WeakActor {
        weak var actor: (any DistributedActor)?
    }

    // Leaf lock. A found actor is returned as a strong reference, so that it is never destroyed under the lock.
    private let state = Lock(State())

    private init() {}

    /// Returns the actor with the identity `id` if the actor is in this process; `nil` if it is in another process.
    ///
    /// - Throws: ``ServiceCallError/noSuchActor`` if the actor was in this process and no longer exists.
    public func resolve<Act: DistributedActor>(id: ActorID, as actorType: Act.Type) throws -> Act?
    where Act.ID == ActorID {
        guard case .here(let number) = id.place else { return nil }
        guard let actor = state.withLock({ $0.actors[number]?.actor }) as? Act else {
            throw ServiceCallError.noSuchActor
        }
        return actor
    }

    /// Returns a new identity for an actor that is being initialized.
    public func assignID<Act: DistributedActor>(_ actorType: Act.Type) -> ActorID where Act.ID == ActorID {
        state.withLock { state in
            defer { state.next += 1 }
            return ActorID(.here(state.next))
        }
    }

    /// Registers an actor whose initialization is complete, so that it can be resolved by its identity.
    public func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == ActorID {
        guard case .here(let number) = actor.id.place else { return }
        state.withLock { $0.actors[number] = WeakActor(actor: actor) }
    }

    /// Removes the identity of an actor that is being destroyed.
    public func resignID(_ id: ActorID) {
        guard case .here(let number) = id.place else { return }
        state.withLock { _ = $0.actors.removeValue(forKey: number) }
    }

    /// Returns an empty encoder for the arguments of a call.
    public func makeInvocationEncoder() -> InvocationEncoder { InvocationEncoder() }

    /// Calls a function of an actor in another process.
    ///
    /// - Throws: the function's error, with the same domain, code and message; ``ServiceCallError`` if the call was
    ///   not made or its outcome is unknown; `CancellationError`.
    public func remoteCall<Act: DistributedActor, Err: Error, Res: Codable>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act.ID == ActorID {
        let answer = try await link(to: actor).call(target.identifier, invocation.arguments)
        return try ServiceValue.decode(answer)
    }

    /// Calls a function that returns nothing. See ``remoteCall(on:target:invocation:throwing:returning:)``.
    public func remoteCallVoid<Act: DistributedActor, Err: Error>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type
    ) async throws where Act.ID == ActorID {
        _ = try await link(to: actor).call(target.identifier, invocation.arguments)
    }

    private func link<Act: DistributedActor>(to actor: Act) throws -> ServiceLink where Act.ID == ActorID {
        guard case .there(let link) = actor.id.place else { throw ServiceCallError.noSuchActor }
        return link
    }
}

/// The identity of an actor of a ``ServiceActorSystem``. The identity is valid only in the process that created it, and
/// cannot be sent to another process.
public struct ServiceActorID: Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable {
        case here(UInt64)
        /// The only actor at the other end of a connection. The connection stays open as long as an identity refers to
        /// it.
        case there(ServiceLink)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    /// Creates the identity of the actor at the other end of a connection.
    package init(_ link: ServiceLink) { place = .there(link) }

    /// Always throws an error, because actors cannot be sent to another process.
    ///
    /// - Throws: ``ServiceCallError/actorAsValue``.
    public init(from decoder: any Decoder) throws { throw ServiceCallError.actorAsValue }

    /// Always throws an error, because actors cannot be sent to another process.
    ///
    /// - Throws: ``ServiceCallError/actorAsValue``.
    public func encode(to encoder: any Encoder) throws { throw ServiceCallError.actorAsValue }
}
