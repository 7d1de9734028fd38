import Foundation
import LinuxSystem

/// An observation, which lasts until it is invalidated or let go of.
///
/// Source: Foundation, key-value observing, which Foundation on Linux does not have; here it is there for `Progress` alone.
public final class NSKeyValueObservation: NSObject, Sendable {
    // Innermost: the end is brought about after it is released.
    private let end: Lock<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = Lock(end)
        super.init()
    }

    deinit { invalidate() }

    /// Ends the observation. A handler that runs on another thread at the moment goes on to its end.
    public func invalidate() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// What an observer wants to be told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// The options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The value as it is when the observation begins, before that returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// A change of an observed value.
public struct NSKeyValueObservedChange<Value> {
    /// The value after the change, for who asked for it.
    public let newValue: Value?
    /// The value before the change, for who asked for it.
    public let oldValue: Value?
    /// `false`: nobody is told of a change before it happens.
    public var isPrior: Bool { false }
}
