import Foundation

extension Progress.FileOperationKind {
    /// The upload of files. Foundation on Linux has the other kinds only.
    public static let uploading = Self(rawValue: "NSProgressFileOperationKindUploading")
}
