import Foundation

/// The properties of a progress that describe its files and its speed. They are stored in ``userInfo``, as on Apple's
/// platforms.
extension Progress {
    /// The remaining time in seconds; `nil` if unknown.
    public var estimatedTimeRemaining: TimeInterval? {
        get { userInfo[.estimatedTimeRemainingKey] as? TimeInterval }
        set { setUserInfoObject(newValue, forKey: .estimatedTimeRemainingKey) }
    }

    /// The speed in bytes per second; `nil` if unknown.
    public var throughput: Int? {
        get { userInfo[.throughputKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .throughputKey) }
    }

    /// The kind of file operation; `nil` if unknown.
    public var fileOperationKind: FileOperationKind? {
        get {
            let value = userInfo[.fileOperationKindKey]
            return value as? FileOperationKind ?? (value as? String).map { FileOperationKind(rawValue: $0) }
        }
        set { setUserInfoObject(newValue, forKey: .fileOperationKindKey) }
    }

    /// The file of the operation; `nil` if unknown.
    public var fileURL: URL? {
        get { userInfo[.fileURLKey] as? URL }
        set { setUserInfoObject(newValue, forKey: .fileURLKey) }
    }

    /// The number of files of the operation; `nil` if unknown.
    public var fileTotalCount: Int? {
        get { userInfo[.fileTotalCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileTotalCountKey) }
    }

    /// The number of completed files; `nil` if unknown.
    public var fileCompletedCount: Int? {
        get { userInfo[.fileCompletedCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileCompletedCountKey) }
    }
}

extension Progress {
    /// Calls `work` while this progress is the thread's current one. A progress that `work` creates becomes a child of
    /// this progress.
    ///
    /// - Parameters:
    ///   - unitCount: the number of units of this progress that the work represents.
    ///   - work: called before the function returns.
    public func performAsCurrent<ReturnType>(
        withPendingUnitCount unitCount: Int64, using work: () throws -> ReturnType
    ) rethrows -> ReturnType {
        becomeCurrent(withPendingUnitCount: unitCount)
        defer { resignCurrent() }
        return try work()
    }
}
