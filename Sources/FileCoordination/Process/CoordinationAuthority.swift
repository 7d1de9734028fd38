/// Decides which claims of this process are granted, and when. An authority is an arbiter in the process, or the
/// daemon's arbiter.
package protocol CoordinationAuthority: Sendable {
    /// Sends an event. Does not block; any thread may call it.
    ///
    /// - Throws: An error if this event cannot be sent. Other events can still be sent.
    func send(_ event: CoordinationEvent) throws(UnsendableEventError)
    /// Finds the source location of a claim of another process, for an error message about a deadlock. The completion
    /// handler is called once. It gets `nil` if the location is unknown.
    func findPlace(
        ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void)
}

/// The reason why an event cannot be sent.
package struct UnsendableEventError: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}

/// Connects this process to an authority that all processes share. It exists in programs that are linked with the
/// client of the coordination service.
package protocol SharedCoordination: Sendable {
    /// Connects to the authority. Blocks until the connection is established or has failed.
    ///
    /// - Parameters:
    ///   - receive: Called with the authority's effects in order, on one thread at a time. Must not block.
    ///   - place: Returns the source location of a claim of this process, or `nil` if the claim does not exist. Called
    ///     on a thread that may block.
    ///   - lost: Called once when the connection has closed, after the last effect.
    func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority
}

/// An object that contains a ``SharedCoordination``. A C function can pass a pointer to it.
package final class SharedCoordinationBox: Sendable {
    package let coordination: any SharedCoordination

    package init(_ coordination: any SharedCoordination) { self.coordination = coordination }
}

/// An arbiter for this process alone.
final class LocalAuthority: CoordinationAuthority {
    private let host: ArbiterHost

    init(receive: @escaping @Sendable ([CoordinationEffect]) -> Void) {
        host = ArbiterHost { _, effects in receive(effects) }
    }

    func send(_ event: CoordinationEvent) { host.apply(event, from: 0) }

    func findPlace(
        ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
    ) {
        // No other process is involved.
        completion(nil)
    }
}
