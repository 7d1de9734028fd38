import Conduit
import Distributed
import LinuxSystem
import TestThreads
import Testing

/// The functions of the counter that callers know.
@Resolvable
public protocol Counting: DistributedActor where ActorSystem == ServiceActorSystem {
    distributed func count(_ name: String) async throws -> Int
    distributed func itself() async throws -> Counter
    distributed func take(_ counter: Counter) async throws
    distributed func generic<Value: Codable & Sendable>(_ value: Value) async throws -> Int
}

/// Functions that the counter does not implement.
@Resolvable
public protocol Spilling: DistributedActor where ActorSystem == ServiceActorSystem {
    distributed func spill() async throws -> Int
}

/// The actor that is called.
public distributed actor Counter: Counting {
    /// The actor system of services.
    public typealias ActorSystem = ServiceActorSystem

    init() { actorSystem = .shared }

    /// Returns the number of bytes of a name.
    public distributed func count(_ name: String) async throws -> Int { name.utf8.count }
    /// Returns an actor as a result.
    public distributed func itself() async throws -> Counter { self }
    /// Takes an actor as an argument.
    public distributed func take(_ counter: Counter) async throws {}
    /// Takes values of any type.
    public distributed func generic<Value: Codable & Sendable>(_ value: Value) async throws -> Int { 0 }
    distributed func own() async throws -> Int { 7 }

    distributed actor Inner {
        typealias ActorSystem = ServiceActorSystem
        distributed func spill() async throws -> Int { 1 }
    }
}

extension Counter {
    distributed func added() async throws -> Int { 8 }
}

/// Another actor, with a function that callers of the counter must not reach.
public distributed actor Spiller: Spilling {
    /// The actor system of services.
    public typealias ActorSystem = ServiceActorSystem

    init() { actorSystem = .shared }

    /// Returns a value that callers of the counter must not see.
    public distributed func spill() async throws -> Int { 42 }
    distributed func secret() async throws -> Int { 43 }
}

distributed actor Box<Value: Sendable> {
    typealias ActorSystem = ServiceActorSystem
    distributed func boxed() async throws -> Int { 3 }
}

/// The functions of a distributed actor that can be called over a socket, even by a hostile peer.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ServiceActorTests {
    /// A call in the form that a hostile program may construct.
    private struct Invocation: Call {
        static var method: UInt64 { 1 }
        let target: String
        var arguments: [[UInt8]] = []

        init(_ target: String) { self.target = target }
        init(from decoder: inout MessageDecoder) throws(MessageError) { target = try decoder.decode(forKey: 0) }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(target, forKey: 0)
            encoder.encode(arguments.map { ByteString($0) }, forKey: 1)
        }

        struct Reply: Message {
            init(from decoder: inout MessageDecoder) throws(MessageError) {}
            func encode(to encoder: inout MessageEncoder) {}
        }
    }

    private static func failure(_ error: any Error) -> RemoteError {
        RemoteError(domain: "test", code: 1, message: "\(error)")
    }

    /// Serves an actor and returns the socket at the other end.
    private func serve<Act: DistributedActor>(_ actor: Act) throws -> FileDescriptor
    where Act.ActorSystem == ServiceActorSystem {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        _ = try ServiceActorSystem.shared.serve(
            actor, over: theirs.descriptor, describe: { Self.failure($0) }, ended: { withExtendedLifetime(actor) {} })
        return ours.descriptor
    }

    private func connect<Act: DistributedActor>(to actor: Act) throws -> ServiceActorID
    where Act.ActorSystem == ServiceActorSystem {
        ServiceActorID(try ServiceLink(try serve(actor), translate: { $0 }, ended: { _ in }))
    }

    @Test func functionsOfTheActorsTypeAndOfItsProtocolsAreCalled() async throws {
        let identifier = try connect(to: Counter())
        #expect(try await $Counting.resolve(id: identifier, using: .shared).count("four") == 4)
        let counter = try Counter.resolve(id: identifier, using: .shared)
        #expect(try await counter.count("three") == 5)
        #expect(try await counter.own() == 7)
        #expect(try await counter.added() == 8)
    }

    @Test func functionsOfOtherTypesAreNot() async throws {
        let identifier = try connect(to: Counter())
        // This process knows these types and treats the remote actor as one of them.
        await #expect(throws: ServiceCallError.self) {
            try await $Spilling.resolve(id: identifier, using: .shared).spill()
        }
        await #expect(throws: ServiceCallError.mismatch("the actor has no such function")) {
            try await Spiller.resolve(id: identifier, using: .shared).secret()
        }
        await #expect(throws: ServiceCallError.mismatch("the actor has no such function")) {
            try await Counter.Inner.resolve(id: identifier, using: .shared).spill()
        }
        // The actor type itself is generic here.
        await #expect(throws: ServiceCallError.self) {
            try await Box<Int>.resolve(id: identifier, using: .shared).boxed()
        }
        // The actor still works afterwards.
        #expect(try await $Counting.resolve(id: identifier, using: .shared).count("four") == 4)
    }

    @Test func namesThatAreNoneOfAFunctionAreRefused() async throws {
        let connection = try Connection(try SequencedPacketSocket(checking: try serve(Counter())))
        defer { connection.close() }
        let module = "12ConduitTests"
        // Each part of it has the one before twice: written out it takes more than a hundred megabytes.
        let parts = (0..<22).map { "A" + String(UnicodeScalar(UInt8(ascii: "D") + UInt8($0))) + "G" }
        let endless = "$s1M1GVy" + String(repeating: "ACy", count: 22) + "SiSiG" + parts.joined() + "D"
        for name in [
            endless,
            "", "$s", "spill", "$sSi", "$s\(module)7CounterC", "$s\(module)7CounterC5countySiSSYaKF", "\0\0\0",
            "$s\(module)7SpillerC6secretSiyYaKFTE", "$s\(module)3BoxC5boxedSiyYaKFTE",
            "$s\(module)7CounterC7genericySixYaKSeRzSERzs8SendableRzlFTE",
            "$s\(module)9$CountingC7genericySiqd__YaKSeRd__SERd__s8SendableRd__lFTE",
            String(repeating: "$s", count: 100_000), "$s" + String(repeating: "S", count: 8000),
        ] {
            await #expect(throws: ConduitError.self) { _ = try await connection.call(Invocation(name)) }
        }
        #expect(connection.closeReason == nil)
    }

    @Test func genericFunctionsAndActorsAsValuesAreRefusedInWords() async throws {
        let identifier = try connect(to: Counter())
        let counting = try $Counting.resolve(id: identifier, using: .shared)
        await #expect(throws: ServiceCallError.genericFunction) { try await counting.generic(5) }
        let counter = try Counter.resolve(id: identifier, using: .shared)
        await #expect(throws: ServiceCallError.genericFunction) { try await counter.generic(5) }
        await #expect(throws: ServiceCallError.actorAsValue) { try await counting.take(Counter()) }
        await #expect(throws: ServiceCallError.actorAsValue) { try await counting.itself() }
        #expect(try await counting.count("four") == 4)
    }
}
