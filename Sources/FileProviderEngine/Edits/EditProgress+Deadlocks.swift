import FileProviderWire
import ItemStore

/// Detects waits that can never end.
extension EditProgress {
    /// Returns the items whose change the given code may be processing, with the requests of their steps. If `top` is
    /// one of these items, returns only `top`, because providers usually wait for the item that they are changing.
    func changesInHand(
        of waiter: EditWaiter, below top: ItemNumber
    ) throws(ProviderError) -> [ItemNumber: ReplyOrdering.Request?] {
        var numbers: Set<ItemNumber> = []
        switch waiter {
        case .other: break
        case .change(let identifier): numbers = Set(try numbersInHand([identifier]))
        case .provider(let identifiers):
            numbers = Set(try numbersInHand(identifiers)).union(scheduler.table.unconfirmed)
            if numbers.contains(top) { numbers = [top] }
        }
        return numbers.reduce(into: [:]) { $0[$1] = .some(scheduler.table.request(changing: $1)) }
    }

    /// Returns the items with the given identifiers whose change is in progress at the provider.
    private func numbersInHand(_ identifiers: [String]) throws(ProviderError) -> [ItemNumber] {
        try onRecord { () throws(IndexError) in
            var numbers: [ItemNumber] = []
            for identifier in identifiers {
                guard let number = try index.item(identifier: identifier)?.number else { continue }
                if scheduler.table.isBusy(number) || scheduler.table[number].accepted != nil { numbers.append(number) }
            }
            return numbers
        }
    }

    /// Returns the items with a running step, if the given code may belong to the upload of one of them. If `top` is
    /// one of these items, returns only `top`.
    func changesSent(by waiter: EditWaiter, below top: ItemNumber) -> Set<ItemNumber> {
        guard case .provider = waiter else { return [] }
        let running = scheduler.table.running
        return running.contains(top) ? [top] : running
    }

    /// Removes the candidates whose change has ended. Adds the items whose contents the provider has accepted since the
    /// wait began.
    func noteEnds(of wait: inout EditWait) {
        for number in wait.sent where scheduler.table[number].accepted != nil {
            wait.sent.remove(number)
            wait.candidates[number] = .some(nil)
        }
        wait.candidates = wait.candidates.filter { isInHand($0.key, $0.value) }
    }

    /// Whether a change of an item is still in progress at the provider.
    ///
    /// - Parameter request: The request of the step that sent the change; `nil` if the provider had accepted the
    ///   contents, and no step was running.
    private func isInHand(_ number: ItemNumber, _ request: ReplyOrdering.Request?) -> Bool {
        if scheduler.table[number].accepted != nil { return true }
        guard let request, let running = scheduler.table.request(changing: number) else { return false }
        return running === request
    }

    /// Checks whether the given wait is part of a deadlock.
    ///
    /// - Throws: ``ProviderError/Kind/cannotSynchronize`` if an awaited edit can end only after the wait.
    func checkDeadlock(of wait: inout EditWait) throws(ProviderError) {
        try wait.suspicion.note(isStuck(wait), at: clock.now)
    }

    private func isStuck(_ wait: EditWait) -> Bool {
        guard !wait.awaited.isEmpty, !wait.candidates.isEmpty, areHeld(Set(wait.candidates.keys)) else { return false }
        return wait.candidates.keys.contains { needs(wait.awaited, $0) } || isFullOfWaits(besides: wait.awaited)
    }

    /// Whether a wait for listings can never end. The listing of a moved directory, or of a directory in it, may wait
    /// for the reply to the move, because its identifier may change with the move. If the waiting provider is
    /// processing this move, it replies only after the wait.
    ///
    /// - Parameters:
    ///   - folders: The directories whose listing waits for the end of a move.
    ///   - own: The item that the provider is changing while it waits; `nil` if it is changing none.
    func isStuck(listing folders: [ItemNumber], inside own: ItemNumber?) throws(ProviderError) -> Bool {
        guard let own else { return false }
        return try onRecord { () throws(IndexError) in
            for folder in folders where try context.isWithin(own, folder) { return true }
            return false
        }
    }

    /// Whether an edit of at least one of the items `numbers` can complete only after the edit of the item `other`.
    private func needs(_ numbers: Set<ItemNumber>, _ other: ItemNumber) -> Bool {
        var seen = numbers
        var next = Array(numbers)
        let holder = scheduler.table.holder(of: other)
        while let number = next.popLast() {
            if number == other || number == holder { return true }
            var needed: Set<ItemNumber> = []
            if let other = scheduler.table[number].blocker { needed.insert(other) }
            // An item that replaced the item of a running step is sent after this step.
            if let sender = scheduler.table.sender(for: number) { needed.insert(sender) }
            if let row = try? index.itemEvenIfDeleted(number), row.isKnownToProvider, let taker = tracker.taker(of: row)
            {
                needed.insert(taker)
            }
            for wait in waits.values where wait.own == number || self.holder(of: wait) == number {
                needed.formUnion(wait.awaited)
            }
            for number in needed where seen.insert(number).inserted { next.append(number) }
        }
        return false
    }

    /// Returns the item whose step has reserved the item that a waiting provider is changing. Such a step gives the
    /// changed item a temporary name. Returns `nil` if the change belongs to the changed item's own step, or is not
    /// known.
    private func holder(of wait: EditWait) -> ItemNumber? {
        guard let own = wait.own else { return nil }
        return scheduler.table.holder(of: own)
    }

    /// Whether a provider waits for edits during the change of each of the given items. A wait whose change is not
    /// known counts for one of these items.
    private func areHeld(_ numbers: Set<ItemNumber>) -> Bool {
        let waits = waits.values.filter { !$0.awaited.isEmpty && !numbers.isDisjoint(with: places(of: $0)) }
        let known = waits.filter { $0.own != nil }.flatMap { places(of: $0) }
        return numbers.subtracting(known).count <= waits.count { $0.own == nil }
    }

    /// Returns the items whose steps a wait may delay.
    private func places(of wait: EditWait) -> Set<ItemNumber> {
        var places = Set(wait.candidates.keys)
        if let holder = holder(of: wait) { places.insert(holder) }
        return places
    }

    /// Whether an awaited edit cannot be sent, because the maximum number of steps is running, and a provider waits
    /// during the change of each of their items.
    private func isFullOfWaits(besides awaited: Set<ItemNumber>) -> Bool {
        scheduler.table.running.count >= configuration.uploadLimit
            && awaited.contains { scheduler.table[$0].step == nil } && areHeld(scheduler.table.running)
    }
}
