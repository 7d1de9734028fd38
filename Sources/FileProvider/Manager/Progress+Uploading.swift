import Foundation

extension Progress.FileOperationKind {
    /// Files are sent. Foundation on Linux has the other kinds only.
    public static let uploading = Self(rawValue: "NSProgressFileOperationKindUploading")
}
