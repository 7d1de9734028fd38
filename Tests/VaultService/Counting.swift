import Distributed
import FileProvider

/// The vault's service, as its provider and programs know it.
@Resolvable
public protocol Counting: DistributedActor where ActorSystem == ServiceActorSystem {
    /// How many bytes a file has.
    distributed func count(_ name: String) async throws -> Int
    /// The same text.
    distributed func echo(_ text: String) async throws -> String
    /// So much text.
    distributed func text(ofSize size: Int) async throws -> String
    /// Fails: `item`, `cocoa` or `own`.
    distributed func fail(_ kind: String) async throws
    /// Does not return before it is cancelled.
    distributed func hang() async throws
    /// The provider's process.
    distributed func processID() async throws -> Int32
    /// Cannot be called by another process.
    distributed func generic<Value: Codable & Sendable>(_ value: Value) async throws -> Int
}

/// What the vault knows, and offers to nobody.
@Resolvable
public protocol Auditing: DistributedActor where ActorSystem == ServiceActorSystem {
    distributed func secret() async throws -> String
}
