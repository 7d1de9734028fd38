import Foundation

extension Progress {
    /// Calls `work` while this progress is the current one of the thread: a progress that `work` makes becomes its child.
    ///
    /// - Parameters:
    ///   - unitCount: how much of this progress the work is.
    ///   - work: called before the function returns.
    public func performAsCurrent<ReturnType>(
        withPendingUnitCount unitCount: Int64, using work: () throws -> ReturnType
    ) rethrows -> ReturnType {
        becomeCurrent(withPendingUnitCount: unitCount)
        defer { resignCurrent() }
        return try work()
    }
}
