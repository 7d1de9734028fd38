import FileProviderWire
import ItemStore
import ItemValues

/// Cancels transfers at the user's request.
extension DomainEngine {
    /// The result of a cancellation.
    package enum Cancellation: Sendable, Equatable {
        case cancelled
        /// The upload was not cancelled, because it had already begun. It will complete.
        case hasBegun
        /// The download was not cancelled, because the file is pinned. The engine would fetch it again.
        case isPinned
        /// The transfer has already ended.
        case isOver
    }

    /// Cancels the download of the given file. Callers that wait for its contents get an error. The next read of the
    /// file starts another download.
    package func cancelDownload(of number: ItemNumber) throws(ProviderError) -> Cancellation {
        let number = resources.openFiles.currentNumber(number)
        guard downloader.filesBeingFetched.contains(number) else { return .isOver }
        guard try !context.row(of: number).staysLocal else { return .isPinned }
        downloader.cancelTransfer(of: number, self)
        return .cancelled
    }

    /// Cancels the upload of the given file, unless the upload has begun. The change then stays on this machine, also
    /// after a restart, until ``sendCancelled()`` is called or the file's contents are edited again.
    package func cancelUpload(of number: ItemNumber) throws(ProviderError) -> Cancellation {
        try onRecord { () throws(IndexError) in try scheduler.cancel(number) }
    }

    /// Sends the edits whose upload the user has cancelled.
    package func sendCancelled() throws(ProviderError) {
        try onRecord { () throws(IndexError) in
            for entry in try context.journal.all() where entry.isCancelled {
                try scheduler.takeBackCancellation(of: entry)
                scheduler.schedule(entry.number, self)
            }
        }
    }
}

extension ProviderError {
    /// The failure of an edit whose upload the user has cancelled.
    package static let uploadCancelled = ProviderError(
        .cannotSynchronize, message: "The upload was cancelled. The change stays on this computer.")
}

extension JournalEntry {
    /// Whether the user has cancelled the upload, and the item was not removed afterwards. A removal is sent even if
    /// the upload was cancelled.
    var isCancelled: Bool { failure == .uploadCancelled && !changes.contains(.deleted) }

    /// Whether the upload includes the contents of a file.
    package var sendsContents: Bool {
        kind == .file && !changes.isDisjoint(with: [.created, .contents]) && !changes.contains(.deleted)
    }
}
