/// What decides for this process: an arbiter of its own, or the daemon's.
package protocol CoordinationAuthority: Sendable {
    /// Tells it something. May be called from any thread and does not block.
    ///
    /// - Throws: when this cannot be told; others can.
    func send(_ event: CoordinationEvent) throws(UnsendableEvent)
    /// Finds words for where a process has made a claim that this one would wait for in vain. The completion is called once.
    func findPlace(
        ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void)
}

/// Why an authority cannot be told something.
package struct UnsendableEvent: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}

/// The way to an authority for all processes, in a program that has one.
package protocol SharedCoordination: Sendable {
    /// Connects. Blocks until there is a connection or none can be had.
    ///
    /// - Parameters:
    ///   - receive: called with what the authority says, in its order, never on two threads at once. Must not block.
    ///   - place: finds words for where this process has made a claim, if it has that still. Called on a thread that may block.
    ///   - lost: called once when the authority is gone, after the last of what it said.
    func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority
}

/// A ``SharedCoordination`` as an object, on its way through a C function.
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
        // There is no other process.
        completion(nil)
    }
}
