import Foundation

/// A file that is handed over.
public struct SentTransferredFile: Sendable {
    /// Where it is.
    public let file: URL
    /// Whether a receiver may work on this very file.
    public let allowAccessingOriginalFile: Bool

    /// A file to hand over; a copy of it unless the original may be used.
    public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
        self.file = file
        self.allowAccessingOriginalFile = allowAccessingOriginalFile
    }
}

/// A file that has arrived.
public struct ReceivedTransferredFile: Sendable {
    /// Where it is. One that is not the original is deleted when the importing closure ends: copy or move it before.
    public let file: URL
    /// Whether this is the sender's own file.
    public let isOriginalFile: Bool
}
