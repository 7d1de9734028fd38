import ItemStore

/// The uploads of all items, by item, with all transitions between their phases:
///
///     any but busy and blocked ones       ── schedule, queue ──▶  queued
///     queued, blocked, backing off,       ── start ──▶     running  ── end ──▶  idle
///     awaiting confirmation
///     any but busy ones   ── block, backOff, awaitConfirmation, park ──▶  the phase of that name
///     awaiting confirmation                ── setAccepted(nil) ──▶  queued
///     blocked             ── wakeWaiters ──▶       queued
///     any but busy ones   ── reserve ──▶           reserved    ── endReservation ──▶        queued or blocked
///     any but busy ones   ── succeed ──▶           succeeding  ── the sender's end ──▶      idle
///     any                 ── forget ──▶            idle, or the same phase while the item is busy
///
/// A busy item is running, reserved or succeeding. If it is scheduled, it gets another step later. If a blocked item is
/// scheduled, it stays blocked, at the latest until the time for which it was scheduled. A transition that is not
/// allowed changes nothing, and its function returns `false`.
package struct UploadTable {
    private var tasks: [ItemNumber: UploadTask] = [:]

    // Derived from the tasks by ``set(_:_:)``.
    private var queue = TimeQueue()
    private var waiters: [ItemNumber: Set<ItemNumber>] = [:]
    /// The items with a running step.
    package private(set) var running: Set<ItemNumber> = []
    /// The items whose contents the provider has accepted and not confirmed yet.
    package private(set) var unconfirmed: Set<ItemNumber> = []

    package init() {}

    /// The upload task of the given item; an idle task if the item has none.
    package subscript(number: ItemNumber) -> UploadTask { tasks[number] ?? UploadTask() }

    /// Stores a task, and updates the queue and the sets that are derived from the tasks.
    private mutating func set(_ number: ItemNumber, _ task: UploadTask) {
        let former = self[number]
        tasks[number] = task.isEmpty ? nil : task
        if former.due != task.due {
            if let time = task.due { queue.put(number, at: time) } else { queue.remove(number) }
        }
        if former.blocker != task.blocker {
            if let other = former.blocker {
                waiters[other]?.remove(number)
                if waiters[other]?.isEmpty == true { waiters[other] = nil }
            }
            if let other = task.blocker { waiters[other, default: []].insert(number) }
        }
        if task.step == nil { running.remove(number) } else { running.insert(number) }
        if task.accepted == nil { unconfirmed.remove(number) } else { unconfirmed.insert(number) }
    }

    private mutating func move(_ number: ItemNumber, to phase: UploadTask.Phase) {
        set(number, self[number].moved(to: phase))
    }

    // MARK: Scheduling

    /// Schedules the next step of the given item at the given time. A blocked item stays blocked, at the latest until
    /// then. A busy item gets another step after the running one.
    package mutating func schedule(_ number: ItemNumber, at time: Double) {
        guard self[number].isBusy else { return _ = queue(number, at: time) }
        setWantedAgain(number, true)
    }

    /// Schedules the next step of the given item as ``schedule(_:at:)`` does, unless the item is busy.
    ///
    /// - Returns: Whether the step was scheduled.
    @discardableResult
    package mutating func queue(_ number: ItemNumber, at time: Double) -> Bool {
        guard !self[number].isBusy else { return false }
        if case .blocked(let other, _) = self[number].phase {
            move(number, to: .blocked(on: other, until: time))
        } else {
            move(number, to: .queued(at: time))
        }
        return true
    }

    /// Returns the due time of the earliest scheduled step; `nil` if none is scheduled.
    package mutating func nextTime() -> Double? { queue.nextTime() }

    /// Returns the item with the earliest step that is due at the time `now`, without a transition; `nil` if no step is
    /// due.
    package mutating func firstDue(at now: Double) -> ItemNumber? { queue.first(at: now) }

    /// Sets whether a busy item needs another step.
    private mutating func setWantedAgain(_ number: ItemNumber, _ isWantedAgain: Bool) {
        var task = self[number]
        task.isWantedAgain = isWantedAgain
        set(number, task)
    }

    /// Records that the given item needs another step after the running one. Returns `false` if the item is not busy.
    @discardableResult
    package mutating func wantAgain(_ number: ItemNumber) -> Bool {
        guard self[number].isBusy else { return false }
        setWantedAgain(number, true)
        return true
    }

    /// Returns whether the given item needs another step after the one that ended, and resets this.
    package mutating func takeWantedAgain(_ number: ItemNumber) -> Bool {
        guard self[number].isWantedAgain else { return false }
        setWantedAgain(number, false)
        return true
    }

    // MARK: Steps

    /// Starts the scheduled step of the given item. Returns `false` if no step of the item is scheduled.
    @discardableResult
    package mutating func start(_ number: ItemNumber, _ step: UploadStep) -> Bool {
        guard self[number].due != nil else { return false }
        var step = step
        step.formerBlocker = self[number].blocker
        move(number, to: .running(step))
        return true
    }

    /// Ends the running step of the given item. The item is then idle, and so is an item that replaced it during the
    /// step.
    ///
    /// - Returns: The ended step; `nil` if none was running.
    @discardableResult
    package mutating func end(_ number: ItemNumber) -> UploadStep? {
        guard let step = self[number].step else { return nil }
        move(number, to: .idle)
        if let successor = step.successor {
            // The successor's next step sees all changes, so that no further step is needed.
            setWantedAgain(successor, false)
            move(successor, to: .idle)
        }
        return step
    }

    /// Makes the given item wait for a result of the item `other`. Returns `false` if the given item is busy.
    @discardableResult
    package mutating func block(_ number: ItemNumber, on other: ItemNumber, until time: Double) -> Bool {
        guard !self[number].isBusy else { return false }
        move(number, to: .blocked(on: other, until: time))
        return true
    }

    /// Counts a failure of the given item and schedules the next attempt. Returns `false` if the item is busy.
    ///
    /// - Parameter time: Returns the time of the next attempt. Its argument is the number of consecutive failures.
    @discardableResult
    package mutating func backOff(_ number: ItemNumber, until time: (_ attempts: Int) -> Double) -> Bool {
        var task = self[number]
        guard !task.isBusy else { return false }
        task.attempts += 1
        set(number, task.moved(to: .backingOff(until: time(task.attempts))))
        return true
    }

    /// Schedules the next request for the confirmation of accepted contents. Returns `false` if the item is busy or has
    /// no accepted contents.
    @discardableResult
    package mutating func awaitConfirmation(_ number: ItemNumber, until time: Double) -> Bool {
        guard !self[number].isBusy, self[number].accepted != nil else { return false }
        move(number, to: .awaitingConfirmation(until: time))
        return true
    }

    /// Makes the given item wait for the user. Returns `false` if the item is busy.
    @discardableResult
    package mutating func park(_ number: ItemNumber) -> Bool {
        guard !self[number].isBusy else { return false }
        move(number, to: .parked)
        return true
    }

    /// Schedules the items that waited for a result of the given item.
    package mutating func wakeWaiters(of number: ItemNumber, at time: Double) {
        for waiter in waiters[number] ?? [] {
            if let holder = self[waiter].holder {
                move(waiter, to: .reserved(by: holder, blocker: nil))
            } else {
                move(waiter, to: .queued(at: time))
            }
        }
    }

    // MARK: Several items

    /// Reserves the given item for another item's step. Returns `false` if the given item is busy.
    @discardableResult
    package mutating func reserve(_ number: ItemNumber, by holder: ItemNumber) -> Bool {
        let task = self[number]
        guard !task.isBusy else { return false }
        move(number, to: .reserved(by: holder, blocker: task.blocker))
        return true
    }

    /// Ends the reservation of the given item and schedules its own step. Returns `false` if the item is not reserved.
    @discardableResult
    package mutating func endReservation(_ number: ItemNumber, at time: Double) -> Bool {
        guard case .reserved(_, let blocker) = self[number].phase else { return false }
        setWantedAgain(number, false)
        move(number, to: blocker.map { .blocked(on: $0, until: time) } ?? .queued(at: time))
        return true
    }

    /// Records that the item `number` replaced the item `other`, whose contents are being sent. The running step
    /// belongs to `other`, or to an earlier item that `other` had replaced. In the second case, `other` becomes idle.
    ///
    /// - Returns: `false` if no such step is running, or if the item `number` is busy.
    @discardableResult
    package mutating func succeed(_ number: ItemNumber, _ other: ItemNumber) -> Bool {
        guard !self[number].isBusy, number != other, let sender = sender(for: other), var step = self[sender].step
        else { return false }
        if let former = step.successor { move(former, to: .idle) }
        step.successor = number
        move(sender, to: .running(step))
        move(number, to: .succeeding(sender))
        return true
    }

    /// Sets whether the running step of the given item sends only new contents. Returns `false` if no step is running.
    @discardableResult
    package mutating func setSendsContents(_ number: ItemNumber, _ sendsContents: Bool) -> Bool {
        guard var step = self[number].step else { return false }
        step.sendsContents = sendsContents
        move(number, to: .running(step))
        return true
    }

    /// Resets the task of an item that has nothing left to send. A busy item stays in its phase. Any other item becomes
    /// idle.
    package mutating func forget(_ number: ItemNumber) { set(number, self[number].phaseAlone()) }

    // MARK: Values that outlast a phase

    /// Stores the contents that the provider has accepted; `nil` if the acceptance is void or the contents were
    /// confirmed.
    package mutating func setAccepted(_ number: ItemNumber, _ accepted: AcceptedContents?) {
        var task = self[number]
        task.accepted = accepted
        if accepted == nil, case .awaitingConfirmation(let time) = task.phase {
            task = task.moved(to: .queued(at: time))
        }
        set(number, task)
    }

    /// Counts a local edit of the given item's contents.
    package mutating func noteEdited(_ number: ItemNumber) { update(number) { $0.generation += 1 } }

    /// Resets the given item's number of consecutive failures.
    package mutating func forgetFailures(of number: ItemNumber) { update(number) { $0.attempts = 0 } }

    /// Counts a dependency cycle that contains the given item.
    ///
    /// - Returns: The number of consecutive cycles.
    package mutating func noteCycle(_ number: ItemNumber) -> Int {
        update(number) { $0.cycles += 1 }
        return self[number].cycles
    }

    /// Resets the numbers of consecutive failures and cycles of the given item, because its step was successful.
    package mutating func noteSuccess(_ number: ItemNumber) {
        update(number) { task in
            (task.attempts, task.cycles) = (0, 0)
            if task.unfit == .move { task.unfit = nil }
        }
    }

    /// Sets the request of the given item that got an unusable reply; `nil` if there is none.
    package mutating func setUnfit(_ number: ItemNumber, _ unfit: UnfitReply?) { update(number) { $0.unfit = unfit } }

    private mutating func update(_ number: ItemNumber, _ change: (inout UploadTask) -> Void) {
        var task = self[number]
        change(&task)
        set(number, task)
    }
}

// MARK: Queries

extension UploadTable {
    /// Whether a step that may change the given item is running; see ``UploadTask/isBusy``.
    package func isBusy(_ number: ItemNumber) -> Bool { self[number].isBusy }

    /// Returns the item whose running step sends the contents of the given item: the given item itself, or an item that
    /// it replaced; `nil` if there is no such step.
    package func sender(for number: ItemNumber) -> ItemNumber? {
        switch self[number].phase {
        case .running(let step): step.sendsContents ? number : nil
        case .succeeding(let sender): sender
        default: nil
        }
    }

    /// Returns the item whose step has reserved an item; `nil` if none has.
    ///
    /// The optimizer of Swift 6.3 crashes when it inlines this function.
    @inline(never)
    package func holder(of number: ItemNumber) -> ItemNumber? { self[number].holder }

    /// Returns the request of the running step that may change the given item; `nil` if there is no such step.
    package func request(changing number: ItemNumber) -> ReplyOrdering.Request? {
        if let step = self[number].step { return step.request }
        guard let other = holder(of: number) ?? sender(for: number) else { return nil }
        return self[other].step?.request
    }

    /// Whether the item `number` waits for the item `other`, directly or indirectly.
    package func waits(_ number: ItemNumber, for other: ItemNumber) -> Bool {
        leads(from: number, to: other) { $0.blocker }
    }

    /// Whether the item `number` may wait for the item `other`, directly or indirectly. In contrast to
    /// ``waits(_:for:)``, this includes items that waited when their running step began.
    package func mayWait(_ number: ItemNumber, for other: ItemNumber) -> Bool {
        leads(from: number, to: other) { $0.blocker ?? $0.step?.formerBlocker }
    }

    /// Whether a chain of blockers leads from one item to another.
    private func leads(
        from number: ItemNumber, to other: ItemNumber, _ blocker: (UploadTask) -> ItemNumber?
    ) -> Bool {
        var next = blocker(self[number])
        var steps = 0
        while let current = next, steps < 1000 {
            if current == other { return true }
            next = blocker(self[current])
            steps += 1
        }
        return false
    }
}
