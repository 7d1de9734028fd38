import Dispatch

extension DispatchTime {
    /// Returns the time that is later by an interval.
    public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

    /// Returns the interval from this time to another one.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        if self == .distantFuture || other == .distantFuture { return .never }
        let (from, to) = (uptimeNanoseconds, other.uptimeNanoseconds)
        return to >= from
            ? .nanoseconds(Int(clamping: to - from)) : .nanoseconds(-Int(clamping: from - to))
    }
}

extension DispatchWallTime {
    /// Returns the time that is later by an interval.
    public func advanced(by n: DispatchTimeInterval) -> DispatchWallTime { self + n }
}
