import Dispatch
import Foundation
import Synchronization

extension Progress {
    /// Observes a property of this progress.
    ///
    /// A progress on Linux does not notify observers, so it is polled twenty times a second. Changes in between are
    /// combined, and the last one is always reported. Polling ends when the progress is finished or the observation
    /// ends; the progress is retained until then.
    ///
    /// - Parameter changeHandler: called after a change, each time on the same queue, which is not the caller's. With
    ///   `.initial`, this function also calls it on the caller's thread.
    /// - Returns: the observation, which ends when it is released.
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

/// An observed progress and its last value.
///
/// Sendable because the key path has no state, and the last value is used on one serial queue alone.
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

    /// Reads the value, and reports a change. Returns whether further changes are possible.
    private func look() -> Bool {
        guard !hasEnded.load(ordering: .acquiring) else { return false }
        // `isFinished` is read before the value, so that the last change is not missed.
        let isLast = progress.isFinished
        let value = progress[keyPath: keyPath]
        guard !Self.areEqual(value, seen) else { return !isLast }
        let change = NSKeyValueObservedChange(
            newValue: options.contains(.new) ? value : nil, oldValue: options.contains(.old) ? seen : nil)
        seen = value
        handler(progress, change)
        return !isLast
    }

    /// Whether two values are equal. The values of all properties of `Progress` can be compared. A value that cannot be
    /// compared counts as changed.
    private static func areEqual(_ first: Value, _ second: Value) -> Bool {
        guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
        return first == second
    }
}

extension Progress {
    /// Creates a progress without a parent and without any units. `Progress()` resolves to this initializer, because
    /// Foundation's `Progress` on Linux has no initializer without parameters. The unused parameter is needed because
    /// an extension cannot override `NSObject.init()`.
    public convenience init(_unused: Void = ()) {
        self.init(parent: nil, userInfo: nil)
    }
}
