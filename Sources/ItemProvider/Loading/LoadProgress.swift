import Foundation

/// A progress that a client is given. It may become part of the client's own, together with others.
///
/// Foundation on Linux changes the progresses above a progress without any lock. So all of these are changed in one place,
/// ``ProgressGate``, whoever changes them; and none is changed while one of them is being added to another progress.
///
/// Sendable as its superclass is: it has no state of its own, and its superclass's is changed behind the gate only.
package final class LoadProgress: Progress, @unchecked Sendable {
    /// A progress without a parent, whatever progress is current on this thread.
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

    /// Asked by the parent's set of children as the first thing that `addChild(_:withPendingUnitCount:)` does.
    package override var hash: Int {
        ProgressGate.announceAdding()
        return super.hash
    }

    /// Moves forward, now or a little later; never back.
    package func move(to units: Int64) {
        ProgressGate.move(self, to: units, then: nil)
    }

    /// Finishes, and then calls a function: on this thread, or a little later on another one where it may block.
    package func finish(then: @escaping @Sendable () -> Void) {
        ProgressGate.move(self, to: totalUnitCount, then: then)
    }

    /// Adds a part of its own.
    package func add(_ child: LoadProgress, units: Int64) {
        ProgressGate.wait { addChild(child, withPendingUnitCount: units) }
    }

    /// What ``ProgressGate`` alone may call.
    func advance(to units: Int64) {
        if units > super.completedUnitCount { super.completedUnitCount = units }
    }
}
