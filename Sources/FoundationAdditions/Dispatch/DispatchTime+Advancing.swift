import Dispatch

extension DispatchTime {
    /// The time that is later by an interval.
    public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

    /// The interval from this time to another one.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        if self == .distantFuture || other == .distantFuture { return .never }
        let (from, to) = (uptimeNanoseconds, other.uptimeNanoseconds)
        return to >= from
            ? .nanoseconds(Int(clamping: to - from)) : .nanoseconds(-Int(clamping: from - to))
    }
}

extension DispatchWallTime {
    /// The time that is later by an interval.
    public func advanced(by n: DispatchTimeInterval) -> DispatchWallTime { self + n }
}
