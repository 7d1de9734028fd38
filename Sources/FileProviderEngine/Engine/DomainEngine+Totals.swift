import FileProvider

/// Adds up what is on its way, from one look to the next: what is not there any more has arrived, until nothing is left.
package struct TransferTally {
    /// Bytes of what was on its way at the last look.
    private var sizes: [ItemNumber: Int64] = [:]
    private var filesDone: Int64 = 0
    private var bytesDone: Int64 = 0

    package init() {}

    /// - Parameter transfers: bytes that are there, and in all.
    package mutating func look(at transfers: [ItemNumber: (done: Int64, total: Int64)]) -> TransferTotals {
        guard !transfers.isEmpty else {
            self = TransferTally()
            return TransferTotals()
        }
        for (number, size) in sizes where transfers[number] == nil {
            filesDone += 1
            bytesDone &+= size
        }
        sizes = transfers.mapValues { max(1, $0.total) }
        var totals = TransferTotals(
            files: filesDone + Int64(transfers.count), filesDone: filesDone, bytes: bytesDone, bytesDone: bytesDone)
        for (number, transfer) in transfers {
            let size = sizes[number] ?? 1
            totals.bytes &+= size
            totals.bytesDone &+= min(max(0, transfer.done), size)
        }
        return totals
    }
}

extension DomainEngine {
    /// All that is on its way here, or waits for its turn.
    package func downloadTotals() -> TransferTotals {
        var transfers: [ItemNumber: (done: Int64, total: Int64)] = [:]
        for (number, fetch) in contents.fetches {
            let bytes = fetch.progress.now
            transfers[number] = (bytes.done, bytes.total > 0 ? bytes.total : (try? row(number))?.item.size ?? 0)
        }
        return contents.tally.look(at: transfers)
    }

    /// All files that the provider does not have as they are here, also those that wait for a person.
    package func uploadTotals() throws(IndexFailure) -> TransferTotals {
        var transfers: [ItemNumber: (done: Int64, total: Int64)] = [:]
        for entry in try journal.all()
        where entry.kind == .file && !entry.changes.isDisjoint(with: [.created, .contents])
            && !entry.changes.contains(.deleted)
        {
            let upload = uploads[entry.number]
            let total = upload.map(\.total) ?? 0
            let size = total > 0 ? total : try index.item(entry.number)?.localSize ?? 0
            transfers[entry.number] = (upload?.sent ?? 0, size)
        }
        return edits.tally.look(at: transfers)
    }
}
