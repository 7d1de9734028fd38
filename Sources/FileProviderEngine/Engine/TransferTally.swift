import DomainMessages
import ItemStore
import ItemValues

/// The total progress of running transfers over repeated calls of ``look(at:)``. A transfer that a call no longer
/// includes counts as completed. The totals restart at 0 when no transfer is running.
package struct TransferTally {
    /// The size in bytes of each transfer at the last call.
    private var sizes: [ItemNumber: Int64] = [:]
    private var filesDone: Int64 = 0
    private var bytesDone: Int64 = 0

    package init() {}

    /// Updates the totals and returns them.
    ///
    /// - Parameter transfers: The number of transferred bytes and the total number of bytes of each running transfer.
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
