import Dispatch
import Foundation
import Synchronization

extension Progress {
    /// Watches a property of this progress.
    ///
    /// A progress on Linux tells nobody of its changes, so it is looked at twenty times a second: changes in between are seen as
    /// one, and the last one always. This ends when the progress is finished, which is kept until then.
    ///
    /// - Parameter changeHandler: called after a change, each time on the same queue, which is not the caller's; with `.initial`
    ///   also before this returns.
    /// - Returns: the observation, which ends when it is let go of.
    public func observe<Value>(
        _ keyPath: KeyPath<Progress, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let watch = ProgressWatch(self, keyPath, options, changeHandler)
        if options.contains(.initial) {
            changeHandler(
                self,
                NSKeyValueObservedChange(
                    newValue: options.contains(.new) ? self[keyPath: keyPath] : nil, oldValue: nil))
        }
        watch.begin()
        return NSKeyValueObservation { watch.end() }
    }
}

/// A progress and what was last seen of it.
///
/// Sendable because the key path has no state, and what was seen is used on one serial queue alone.
private final class ProgressWatch<Value>: @unchecked Sendable {
    private let progress: Progress
    private let keyPath: KeyPath<Progress, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
    private var seen: Value
    private let hasEnded = Atomic(false)
    private let queue = DispatchQueue(label: "org.purvey.progress")

    init(
        _ progress: Progress, _ keyPath: KeyPath<Progress, Value>, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.progress = progress
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
        seen = progress[keyPath: keyPath]
    }

    func begin() {
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { if self.look() { self.begin() } }
    }

    func end() { hasEnded.store(true, ordering: .releasing) }

    /// Tells of a change. Whether there can be another one.
    private func look() -> Bool {
        guard !hasEnded.load(ordering: .acquiring) else { return false }
        // Asked before the value is, so that the last change is not missed.
        let isLast = progress.isFinished
        let value = progress[keyPath: keyPath]
        guard !Self.areEqual(value, seen) else { return !isLast }
        let change = NSKeyValueObservedChange(
            newValue: options.contains(.new) ? value : nil, oldValue: options.contains(.old) ? seen : nil)
        seen = value
        handler(progress, change)
        return !isLast
    }

    /// Values of a progress can all be compared; what cannot counts as changed.
    private static func areEqual(_ first: Value, _ second: Value) -> Bool {
        guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
        return first == second
    }
}
