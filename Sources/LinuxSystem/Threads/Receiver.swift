/// Who is told of something that happens again and again; it may be set anew at any time, on any thread.
package final class Receiver<Event>: Sendable {
    /// A function that is read out of a lock by itself comes back wrapped once more each time (Swift 6.3), until calling it or letting
    /// go of it overflows the stack. In a structure it stays as it is.
    private struct Kept: Sendable {
        let function: @Sendable (Event) -> Void
    }

    // Innermost: the function is called after it is released.
    private let kept = Lock<Kept?>(nil)

    package init() {}

    /// Who is told; `nil` for nobody.
    package var function: (@Sendable (Event) -> Void)? {
        get { kept.withLock { $0 }?.function }
        set {
            let next = newValue.map(Kept.init)
            kept.withLock { $0 = next }
        }
    }

    package var isSet: Bool { kept.withLock { $0 != nil } }

    /// Calls the function on the calling thread, if there is one.
    package func tell(_ event: Event) { kept.withLock { $0 }?.function(event) }
}
