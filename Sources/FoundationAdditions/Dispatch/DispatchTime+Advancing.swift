// In a file of its own because nothing else in this module extends the times of Dispatch.
import Dispatch

extension DispatchTime {
    /// Returns the point in time that is the given interval later.
    public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

    /// Returns the interval from this time to another time.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        if self == .distantFuture || other == .distantFuture { return .never }
        let (from, to) = (uptimeNanoseconds, other.uptimeNanoseconds)
        return to >= from
            ? .nanoseconds(Int(clamping: to - from)) : .nanoseconds(-Int(clamping: from - to))
    }
}

extension DispatchWallTime {
    /// Returns the point in time that is the given interval later.
    public func advanced(by n: DispatchTimeInterval) -> DispatchWallTime { self + n }
}
