import Distributed
import LinuxSystem

/// Distributed actors that are called from other processes: what the services of file providers are made of.
///
/// A service is a `public` protocol that both sides know:
///
///     @Resolvable
///     public protocol Sketching: DistributedActor where ActorSystem == ServiceActorSystem {
///         distributed func count(of name: String) async throws -> Int
///     }
///
/// The protocol is not within another type. Arguments and results are `Codable`, and no actors; functions are not generic, and
/// neither are actors that are called by their own type. Only functions of the actor's own type and of protocols that it
/// conforms to can be called, whatever the other process says. A call with its arguments, and an answer, has at most
/// ``longestMessage`` bytes. Calls run concurrently as far as the actor lets them; cancelling the task that waits for one cancels
/// the task that it runs in, and so does the end of the connection, which every call that waits fails with.
///
/// Any thread may use it.
public final class ServiceActorSystem: DistributedActorSystem {
    /// What the actor is known by.
    public typealias ActorID = ServiceActorID
    /// Collects the arguments of a call.
    public typealias InvocationEncoder = ServiceInvocationEncoder
    /// Gives out the arguments of a call.
    public typealias InvocationDecoder = ServiceInvocationDecoder
    /// Answers a call.
    public typealias ResultHandler = ServiceResultHandler
    /// What arguments and results have to be.
    public typealias SerializationRequirement = any Codable

    /// The process's own, which all its actors belong to.
    public static let shared = ServiceActorSystem()

    /// The most bytes of a call or of an answer.
    public static let longestMessage = 8 << 20

    private struct State {
        var next: UInt64 = 1
        var actors: [UInt64: WeakActor] = [:]
    }

    private struct WeakActor {
        weak var actor: (any DistributedActor)?
    }

    // Innermost: actors that it finds go on living for as long as they are returned.
    private let state = Lock(State())

    private init() {}

    /// The actor of this process that has an identity; `nil` for one of another process, which is to be called there.
    ///
    /// - Throws: ``ServiceCallError/noSuchActor``.
    public func resolve<Act: DistributedActor>(id: ActorID, as actorType: Act.Type) throws -> Act?
    where Act.ID == ActorID {
        guard case .here(let number) = id.place else { return nil }
        guard let actor = state.withLock({ $0.actors[number]?.actor }) as? Act else {
            throw ServiceCallError.noSuchActor
        }
        return actor
    }

    /// An identity for an actor that is being made.
    public func assignID<Act: DistributedActor>(_ actorType: Act.Type) -> ActorID where Act.ID == ActorID {
        state.withLock { state in
            defer { state.next += 1 }
            return ActorID(.here(state.next))
        }
    }

    /// An actor was made.
    public func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == ActorID {
        guard case .here(let number) = actor.id.place else { return }
        state.withLock { $0.actors[number] = WeakActor(actor: actor) }
    }

    /// An actor is no more.
    public func resignID(_ id: ActorID) {
        guard case .here(let number) = id.place else { return }
        state.withLock { _ = $0.actors.removeValue(forKey: number) }
    }

    /// Somewhere to put the arguments of a call.
    public func makeInvocationEncoder() -> InvocationEncoder { InvocationEncoder() }

    /// Calls a function of an actor in another process.
    ///
    /// - Throws: what the function throws, as an error with the same domain, code and words; ``ServiceCallError`` when it was not
    ///   called, or nobody knows whether it was; `CancellationError`.
    public func remoteCall<Act: DistributedActor, Err: Error, Res: Codable>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act.ID == ActorID {
        let answer = try await link(to: actor).call(target.identifier, invocation.arguments)
        return try ServiceValue.decode(answer)
    }

    /// As ``remoteCall(on:target:invocation:throwing:returning:)``, for a function that returns nothing.
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

/// What an actor of a ``ServiceActorSystem`` is known by. It means something in its process only, and is not sent to others.
public struct ServiceActorID: Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable {
        case here(UInt64)
        /// The one actor at the other end, which is reached for as long as somebody has its identity.
        case there(ServiceLink)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    /// The actor at the other end of a connection.
    package init(_ link: ServiceLink) { place = .there(link) }

    /// - Throws: ``ServiceCallError/actorAsValue``, always.
    public init(from decoder: any Decoder) throws { throw ServiceCallError.actorAsValue }

    /// - Throws: ``ServiceCallError/actorAsValue``, always.
    public func encode(to encoder: any Encoder) throws { throw ServiceCallError.actorAsValue }
}
