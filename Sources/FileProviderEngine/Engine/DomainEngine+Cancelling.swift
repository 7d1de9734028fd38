import FileProviderWire
import ItemStore
import ItemValues

/// Transfers that the user cancels.
extension DomainEngine {
    /// The result of a cancellation.
    package enum Cancellation: Sendable, Equatable {
        case cancelled
        /// The upload was not cancelled, because it has begun. It will complete.
        case hasBegun
        /// The download was not cancelled, because the file is pinned and would be fetched again.
        case isPinned
        /// No such transfer exists any more.
        case isOver
    }

    /// Cancels the download of a file. Callers and programs that wait for its contents get an error. The next read of
    /// the file starts another download.
    package func cancelDownload(of number: ItemNumber) throws(ProviderError) -> Cancellation {
        let number = resources.openFiles.currentNumber(number)
        guard downloader.filesBeingFetched.contains(number) else { return .isOver }
        guard try !context.row(of: number).staysLocal else { return .isPinned }
        downloader.cancelTransfer(of: number, self)
        return .cancelled
    }

    /// Cancels the upload of a file, if the upload has not begun. The change stays on this machine, also after a
    /// restart, until ``sendCancelled()`` or another edit of the file's contents.
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
    /// Whether the user has cancelled the upload. A removal is sent regardless.
    var isCancelled: Bool { failure == .uploadCancelled && !changes.contains(.deleted) }

    /// Whether the upload includes the contents of a file.
    package var sendsContents: Bool {
        kind == .file && !changes.isDisjoint(with: [.created, .contents]) && !changes.contains(.deleted)
    }
}
