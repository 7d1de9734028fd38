import Foundation
import LinuxSystem

/// An observation, which lasts until it is invalidated or released.
///
/// Source: Foundation, key-value observing, which Foundation on Linux does not have; this module has it for
/// `Progress` alone.
public final class NSKeyValueObservation: NSObject, Sendable {
    // Leaf lock: the end function is called after it is released.
    private let end: Lock<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = Lock(end)
        super.init()
    }

    deinit { invalidate() }

    /// Ends the observation. If a handler is running on another thread, it completes.
    public func invalidate() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// The options of an observation.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Includes the value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Includes the value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// Calls the handler with the present value before the observation call returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// A change of an observed value.
public struct NSKeyValueObservedChange<Value> {
    /// The value after the change, if requested.
    public let newValue: Value?
    /// The value before the change, if requested.
    public let oldValue: Value?
    /// Whether this is a notification before the change. It is always `false`.
    public var isPrior: Bool { false }
}
