import FileProvider
import ItemStore

/// A wait for edits that is in progress.
struct EditWait {
    /// The edit whose step contains the wait and is delayed by it; `nil` for a wait of another process.
    let own: ItemNumber?
    /// The edits that are still awaited.
    var awaited: Set<ItemNumber>
}

/// Waits that a provider begins during a change of an item. The change ends only after the wait.
extension DomainEngine {
    /// Returns the item of an identifier if a request that changes it is running at the provider.
    func changeInHand(_ identifier: String?) throws(ProviderError) -> ItemNumber? {
        guard let identifier else { return nil }
        let row = try onRecord { () throws(IndexError) in try index.item(identifier: identifier) }
        return row.flatMap { edits.table.isBusy($0.number) ? $0.number : nil }
    }

    /// Checks a wait for a deadlock.
    ///
    /// - Throws: ``ProviderError/Kind/cannotSynchronize`` if an awaited edit can only end after the wait.
    func checkDeadlock(of wait: EditWait) throws(ProviderError) {
        guard let own = wait.own, !wait.awaited.isEmpty else { return }
        guard needs(wait.awaited, own) || isFullOfWaits(besides: wait.awaited) else { return }
        throw ProviderError(
            .cannotSynchronize, message: "The change of an item waits for a change that waits for it in turn.")
    }

    /// Whether any of some edits can end only after another edit has ended.
    private func needs(_ numbers: Set<ItemNumber>, _ other: ItemNumber) -> Bool {
        var seen = numbers
        var next = Array(numbers)
        while let number = next.popLast() {
            if number == other { return true }
            var needed: Set<ItemNumber> = []
            if let other = edits.table[number].blocker { needed.insert(other) }
            if let row = try? index.itemEvenIfDeleted(number), row.isKnownToProvider, let taker = taker(of: row) {
                needed.insert(taker)
            }
            for wait in edits.waits.values where wait.own == number { needed.formUnion(wait.awaited) }
            for number in needed where seen.insert(number).inserted { next.append(number) }
        }
        return false
    }

    /// Whether no step can start, because every running step waits for a step that has not started.
    private func isFullOfWaits(besides awaited: Set<ItemNumber>) -> Bool {
        guard edits.table.running.count >= EditState.stepLimit, awaited.contains(where: { edits.table[$0].step == nil })
        else {
            return false
        }
        let held = Set(edits.waits.values.lazy.filter { !$0.awaited.isEmpty }.compactMap(\.own))
        return edits.table.running.allSatisfy(held.contains)
    }
}
