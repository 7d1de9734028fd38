import FileProviderWire
import ItemStore
import ItemValues

/// Transfers that the user cancels.
extension DomainEngine {
    /// The result of a cancellation.
    package enum Cancellation: Sendable, Equatable {
        case cancelled
        /// The upload is running, and is completed.
        case hasBegun
        /// The file is pinned, so it is to be downloaded.
        case isPinned
        /// There is no such transfer any more.
        case isOver
    }

    /// Cancels the download of a file. Callers that wait for its contents get an error, and so do programs that read
    /// it. The next reading causes another download.
    package func cancelDownload(of number: ItemNumber) throws(ProviderError) -> Cancellation {
        let number = resources.openFiles.currentNumber(number)
        guard downloader.filesBeingFetched.contains(number) else { return .isOver }
        guard try !context.row(of: number).staysLocal else { return .isPinned }
        downloader.cancelTransfer(of: number, self)
        return .cancelled
    }

    /// Cancels the upload of a file that waits. The change stays on this machine, also after a restart, until
    /// ``sendCancelled()`` or another edit of the file's contents.
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

    /// Whether contents are sent.
    package var sendsContents: Bool {
        kind == .file && !changes.isDisjoint(with: [.created, .contents]) && !changes.contains(.deleted)
    }
}
