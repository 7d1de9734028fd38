import Foundation

/// The values of a progress about files and speed. They are in ``userInfo``, as on Apple's platforms.
extension Progress {
    /// The time until the end, in seconds.
    public var estimatedTimeRemaining: TimeInterval? {
        get { userInfo[.estimatedTimeRemainingKey] as? TimeInterval }
        set { setUserInfoObject(newValue, forKey: .estimatedTimeRemainingKey) }
    }

    /// The speed, in bytes in a second.
    public var throughput: Int? {
        get { userInfo[.throughputKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .throughputKey) }
    }

    /// The kind of operation with files.
    public var fileOperationKind: FileOperationKind? {
        get {
            let value = userInfo[.fileOperationKindKey]
            return value as? FileOperationKind ?? (value as? String).map { FileOperationKind(rawValue: $0) }
        }
        set { setUserInfoObject(newValue, forKey: .fileOperationKindKey) }
    }

    /// The file that the operation is about.
    public var fileURL: URL? {
        get { userInfo[.fileURLKey] as? URL }
        set { setUserInfoObject(newValue, forKey: .fileURLKey) }
    }

    /// The number of files.
    public var fileTotalCount: Int? {
        get { userInfo[.fileTotalCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileTotalCountKey) }
    }

    /// The number of files that are done.
    public var fileCompletedCount: Int? {
        get { userInfo[.fileCompletedCountKey] as? Int }
        set { setUserInfoObject(newValue, forKey: .fileCompletedCountKey) }
    }
}
