import Foundation

extension Progress {
    /// Calls `work` while this progress is the thread's current one: a progress that `work` creates becomes its
    /// child.
    ///
    /// - Parameters:
    ///   - unitCount: the share of this progress that the work has.
    ///   - work: called before the function returns.
    public func performAsCurrent<ReturnType>(
        withPendingUnitCount unitCount: Int64, using work: () throws -> ReturnType
    ) rethrows -> ReturnType {
        becomeCurrent(withPendingUnitCount: unitCount)
        defer { resignCurrent() }
        return try work()
    }
}
