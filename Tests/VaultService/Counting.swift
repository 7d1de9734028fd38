import Distributed
import FileProvider

/// The interface of the vault's service, which its provider and programs share.
@Resolvable
public protocol Counting: DistributedActor where ActorSystem == ServiceActorSystem {
    /// Returns the number of bytes of a file.
    distributed func count(_ name: String) async throws -> Int
    /// Returns the same text.
    distributed func echo(_ text: String) async throws -> String
    /// Returns a text of the given size.
    distributed func text(ofSize size: Int) async throws -> String
    /// Fails with an error of a kind: `item`, `cocoa` or `own`.
    distributed func fail(_ kind: String) async throws
    /// Returns only when it is cancelled.
    distributed func hang() async throws
    /// Returns the provider's process ID.
    distributed func processID() async throws -> Int32
    /// A generic function, which other processes cannot call.
    distributed func generic<Value: Codable & Sendable>(_ value: Value) async throws -> Int
}

/// An interface that the vault implements, but does not offer.
@Resolvable
public protocol Auditing: DistributedActor where ActorSystem == ServiceActorSystem {
    distributed func secret() async throws -> String
}
