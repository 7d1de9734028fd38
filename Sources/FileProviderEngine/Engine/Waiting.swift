import LinuxSystem

/// Somebody's wait for something of the engine's, which can be given up.
package final class Waiting: Sendable {
    // Innermost: what gives up is called after it is released.
    private let giveUp: Lock<(@Sendable () -> Void)?>

    /// - Parameter giveUp: called at most once, on the thread that cancels.
    package init(_ giveUp: (@Sendable () -> Void)?) { self.giveUp = Lock(giveUp) }

    /// Of what is over already.
    package static var over: Waiting { Waiting(nil) }

    /// Gives the wait up: its completion is called with a failure of kind `cancelled`, unless it was called before. What was waited
    /// for may go on.
    package func cancel() {
        let giveUp = giveUp.withLock { giveUp in
            defer { giveUp = nil }
            return giveUp
        }
        giveUp?()
    }
}
