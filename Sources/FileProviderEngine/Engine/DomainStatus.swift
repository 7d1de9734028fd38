import FileProvider

/// How a domain is; its edits have a status of their own.
package struct DomainStatus: Sendable, Equatable {
    /// One file on its way here.
    package struct Transfer: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        /// Bytes that are here, and in all; 0 where the provider has not said.
        package var done: Int64
        package var total: Int64
        /// Whether it waits for its turn.
        package var isWaiting: Bool
        /// The times of its beginning and of its last progress; seconds since 1970. `nil` while it waits for its turn.
        package var begun: Double?
        package var moved: Double?
    }

    package var identifier: String
    package var displayName: String
    /// Items of which something is known.
    package var itemCount: Int
    /// Folders that are listed or asked for again at this moment.
    package var listingCount: Int
    package var downloads: [Transfer]
    /// Bytes of clean contents on this machine that may go, and how many of them may be here.
    package var cleanBytes: Int64
    package var cacheLimit: Int64
    /// Files and folders that are to stay on this machine and are not here, or not whole.
    package var wantedCount: Int
    /// Items with tags, ranks and dates of use that the provider does not know of yet, and those of them on their way.
    package var factCount: Int
    package var factsInFlight: Int
    /// The number of items whose facts are held back for a moment, to be sent with later ones.
    package var factsPaused: Int
    /// Files that programs have open.
    package var openFileCount: Int
    /// Why the provider could not be asked the last time; `nil` once it answered.
    package var failure: ProviderFailure?
    /// Why something that is to stay here could not be had the last time.
    package var keepingFailure: ProviderFailure?
    package var signIn: SignInStatus
    /// Damage on this machine, in a sentence, such as that of the journal.
    package var complaint: String?
    /// The last failure of the disk or the index that no caller got.
    package var localFailure: ProviderFailure?
    /// Whether the provider gives files without versions, so that size and date count as one.
    package var lacksVersions: Bool
}

extension DomainEngine {
    package func status() throws(ProviderFailure) -> DomainStatus {
        let (statistics, wantedCount, factCount, lacksVersions) = try onRecord { () throws(IndexFailure) in
            (
                try index.statistics(), try index.wantedCount(), try journal.factCount(), try index.lacksVersions()
            )
        }
        let downloads = contents.fetches.map { number, fetch in
            let progress = fetch.progress.now
            return DomainStatus.Transfer(
                number: number, name: (try? openRow(number))?.name ?? "", done: progress.done, total: progress.total,
                isWaiting: fetch.task == nil, begun: progress.begun, moved: progress.moved)
        }
        let parts = contents.parts.files.compactMap { number, transfer -> DomainStatus.Transfer? in
            guard contents.fetches[number] == nil, let begun = transfer.asks.values.map(\.begun).min() else {
                return nil
            }
            return DomainStatus.Transfer(
                number: number, name: (try? openRow(number))?.name ?? "", done: transfer.file.ranges.count,
                total: transfer.file.size, isWaiting: false, begun: begun, moved: max(begun, transfer.moved))
        }
        return DomainStatus(
            identifier: configuration.identifier, displayName: configuration.displayName, itemCount: statistics.items,
            listingCount: listings.folders.count,
            downloads: (downloads + parts).sorted { $0.number.rawValue < $1.number.rawValue },
            cleanBytes: statistics.evictableBytes, cacheLimit: cacheLimit, wantedCount: wantedCount,
            factCount: factCount, factsInFlight: facts.running.count, factsPaused: facts.pausedCount(at: clock.now),
            openFileCount: openFiles.withLock { $0.entries.count }, failure: changes.lastFailure,
            keepingFailure: wantedCount > 0 ? keeping.failure : nil, signIn: signIn,
            complaint: damage.complaint ?? journal.damage ?? rebuilding, localFailure: contents.lastFailure,
            lacksVersions: lacksVersions)
    }

    /// Keeps why the provider could not be asked, for the status.
    ///
    /// - Parameter era: the one of sign-ins in which it was asked.
    func noteFailure(_ failure: ProviderFailure, askedIn era: Int) {
        configuration.states?.noteDomain()
        switch failure.kind {
        case .cancelled, .noSuchItem: break
        case .notAuthenticated: noteSignInNeeded(failure, askedIn: era)
        default: changes.lastFailure = failure
        }
    }
}
