import Foundation

extension Progress.FileOperationKind {
    /// The upload of files. Foundation on Linux defines only the other kinds.
    public static let uploading = Self(rawValue: "NSProgressFileOperationKindUploading")
}
