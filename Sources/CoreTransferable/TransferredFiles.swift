import Foundation

/// A file that an exporting closure hands over.
public struct SentTransferredFile: Sendable {
    /// The URL of the file.
    public let file: URL
    /// Whether a receiver may use this very file.
    public let allowAccessingOriginalFile: Bool

    /// Creates a file to hand over. The receiver gets a copy unless the original may be used.
    public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
        self.file = file
        self.allowAccessingOriginalFile = allowAccessingOriginalFile
    }
}

/// A file that an importing closure receives.
public struct ReceivedTransferredFile: Sendable {
    /// The URL of the file. A copy is deleted when the importing closure returns: copy or move it before that.
    public let file: URL
    /// Whether this is the sender's own file.
    public let isOriginalFile: Bool
}
