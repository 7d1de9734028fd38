import FileProviderWire
import ItemStore

/// The status of a domain. ``EditStatus`` is the status of its edits.
package struct DomainStatus: Sendable, Equatable {
    /// A download of one file.
    package struct Transfer: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        /// Whether the file is pinned, so that a cancelled download would start again.
        package var isPinned: Bool
        /// The number of bytes that are local, and the total number of bytes. Both are 0 if the provider has not
        /// reported the total.
        package var done: Int64
        package var total: Int64
        /// Whether the download is queued and has not begun.
        package var isWaiting: Bool
        /// The dates of the download's start and of its last progress, in seconds since 1970; `nil` while the download
        /// is queued.
        package var begun: Double?
        package var moved: Double?
    }

    package var identifier: String
    package var displayName: String
    /// The number of items in the index.
    package var itemCount: Int
    /// The number of directories that the engine is listing or refreshing now.
    package var listingCount: Int
    package var downloads: [Transfer]
    /// The number of bytes of local clean contents that may be evicted, and the limit of this number.
    package var cleanBytes: Int64
    package var cacheLimit: Int64
    /// The number of pinned files and directories that are not completely materialized.
    package var wantedCount: Int
    /// The number of items with user metadata that the provider does not have yet, and the number of items for which a
    /// request that sends user metadata is running.
    package var metadataCount: Int
    package var metadataInFlight: Int
    /// The number of items whose user metadata is not due yet. It is delayed so that it can be sent together with later
    /// changes.
    package var metadataPaused: Int
    /// The number of files that processes have open.
    package var openFileCount: Int
    /// The failure of the last request to the provider; `nil` after a success.
    package var failure: ProviderError?
    /// The failure of the last attempt to materialize a pinned item; `nil` if it did not fail.
    package var pinningFailure: ProviderError?
    package var signIn: SignInStatus
    /// A sentence for the user about damage on this machine, such as damage to the journal; `nil` if there is none.
    package var complaint: String?
    /// The last failure of the disk or the index that was not reported to a caller; `nil` if there was none.
    package var localFailure: ProviderError?
    /// Whether the provider returns files without versions, so that the engine compares size and date instead.
    package var lacksVersions: Bool
}

extension DomainEngine {
    package func status() throws(ProviderError) -> DomainStatus {
        let (statistics, wantedCount, metadataCount, lacksVersions) = try onRecord { () throws(IndexError) in
            (
                try index.statistics(), try index.wantedCount(), try context.journal.metadataCount(),
                try index.lacksVersions()
            )
        }
        return DomainStatus(
            identifier: configuration.identifier, displayName: configuration.displayName, itemCount: statistics.items,
            listingCount: enumerator.count,
            downloads: downloader.status().sorted { $0.number.rawValue < $1.number.rawValue },
            cleanBytes: statistics.evictableBytes, cacheLimit: cache.cacheLimit, wantedCount: wantedCount,
            metadataCount: metadataCount, metadataInFlight: metadata.sendingCount, metadataPaused: metadata.pausedCount,
            openFileCount: resources.openFiles.withLock { $0.entries.count }, failure: context.requestFailure,
            pinningFailure: wantedCount > 0 ? pinning.failure : nil, signIn: signIn.status,
            complaint: resources.damage.complaint ?? context.journal.damage ?? rebuilding,
            localFailure: context.backgroundFailure,
            lacksVersions: lacksVersions)
    }
}
