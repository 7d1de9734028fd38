import Foundation
import LinuxSystem

/// The progress of a load, which a client gets and may make a child of its own progress, together with other children.
///
/// Foundation on Linux changes the parents of a progress without any lock. So all progresses of this class are
/// changed in one place, ``ProgressGate``, and none is changed while one of them is being added to another progress.
///
/// Sendable like its superclass: it has no state of its own, and the state of its superclass is only changed through
/// the gate.
package final class LoadProgress: Progress, @unchecked Sendable {
    /// Creates a progress without a parent, whether or not another progress is current on this thread.
    package init(units: Int64) {
        super.init(parent: nil, userInfo: nil)
        super.totalUnitCount = units
    }

    package override var totalUnitCount: Int64 {
        get { super.totalUnitCount }
        set { ProgressGate.wait { super.totalUnitCount = newValue } }
    }

    package override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set { ProgressGate.wait { super.completedUnitCount = newValue } }
    }

    /// The hash value. Reading it notifies ``ProgressGate`` that this progress is being added to another one, because
    /// `addChild(_:withPendingUnitCount:)` begins by adding the child to a set, which reads the child's hash value.
    package override var hash: Int {
        ProgressGate.announceAdding()
        return super.hash
    }

    /// Raises the number of completed units, at once or a little later. A lower number has no effect.
    package func move(to units: Int64) {
        ProgressGate.move(self, to: units, then: nil)
    }

    /// Finishes the progress, and then calls a function: on this thread, or a little later on another thread, which may
    /// block.
    package func finish(then: @escaping @Sendable () -> Void) {
        ProgressGate.move(self, to: totalUnitCount, then: then)
    }

    /// Adds a child, which stands for the given number of units of this progress.
    package func add(_ child: LoadProgress, units: Int64) {
        ProgressGate.wait { addChild(child, withPendingUnitCount: units) }
    }

    /// Raises the number of completed units at once. Only ``ProgressGate`` may call this function.
    func advance(to units: Int64) {
        if units > super.completedUnitCount { super.completedUnitCount = units }
    }
}

/// A cancellation that may be requested before the function that cancels is set.
package final class PendingCancellation: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    // Leaf lock: the cancelling function is called after it is released.
    private let state = Lock(State())

    package init() {}

    /// Sets the function that cancels. If cancellation was requested before, calls the function at once.
    package func hold(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Cancels now, or as soon as the function that cancels is set.
    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
