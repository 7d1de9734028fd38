import FileProviderEngine
import ItemStore
import Testing

/// Tests of the phases of uploads: each transition, and those that are refused.
struct UploadTableTests {
    private let one = ItemNumber(rawValue: 11)
    private let two = ItemNumber(rawValue: 12)
    private let three = ItemNumber(rawValue: 13)

    /// Checks a condition that may have changed the table, which `#expect` cannot evaluate itself.
    private func expect(_ isSo: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(isSo, sourceLocation: sourceLocation)
    }

    private func step(sendsContents: Bool = false) -> UploadStep {
        UploadStep(task: Task {}, request: ReplyOrdering().beginRequest(), sendsContents: sendsContents)
    }

    /// Returns a table in which items have a running step.
    private func running(_ numbers: [ItemNumber], sendsContents: Bool = false) -> UploadTable {
        var table = UploadTable()
        for number in numbers {
            table.schedule(number, at: 0)
            expect(table.start(number, step(sendsContents: sendsContents)))
        }
        return table
    }

    private func phase(_ number: ItemNumber, in table: UploadTable) -> String {
        switch table[number].phase {
        case .idle: "idle"
        case .queued(let time): "queued \(time)"
        case .running: "running"
        case .reserved(_, let blocker): "reserved \(blocker?.rawValue ?? 0)"
        case .succeeding(let sender): "succeeding \(sender.rawValue)"
        case .blocked(let other, let time): "blocked \(other.rawValue) \(time)"
        case .backingOff(let time): "backing off \(time)"
        case .awaitingConfirmation(let time): "awaiting \(time)"
        case .parked: "parked"
        }
    }

    // MARK: Scheduling

    @Test func itemsAreDueInTheOrderOfTheirTimes() {
        var table = UploadTable()
        expect(table.nextTime() == nil)
        expect(table.firstDue(at: 100) == nil)
        table.schedule(one, at: 5)
        table.schedule(two, at: 3)
        table.schedule(three, at: 3)
        expect(table.nextTime() == 3)
        expect(table.firstDue(at: 2) == nil)
        expect(table.firstDue(at: 3) == two)
        // The item is the first one until its step has started.
        expect(table.firstDue(at: 3) == two)
        expect(table.start(two, step()))
        expect(table.firstDue(at: 9) == three)
        table.schedule(three, at: 8)
        expect(table.firstDue(at: 9) == one)
    }

    @Test func aScheduleReplacesTheEarlierOne() {
        var table = UploadTable()
        table.schedule(one, at: 5)
        table.schedule(one, at: 7)
        expect(table.nextTime() == 7)
        expect(phase(one, in: table) == "queued 7.0")
        expect(table.queue(one, at: 2))
        expect(table.nextTime() == 2)
    }

    @Test func aBlockedItemStaysBlockedWhenItIsScheduled() {
        var table = UploadTable()
        expect(table.block(one, on: two, until: 300))
        table.schedule(one, at: 4)
        expect(phase(one, in: table) == "blocked 12 4.0")
        expect(table.waits(one, for: two))
        expect(table.start(one, step()))
        expect(!table.waits(one, for: two))
        expect(table[one].blocker == nil)
    }

    @Test func aBusyItemIsWantedAgainInsteadOfQueued() {
        var table = running([one])
        table.schedule(one, at: 1)
        expect(phase(one, in: table) == "running")
        expect(table.nextTime() == nil)
        expect(table[one].isWantedAgain)
        expect(!table.queue(one, at: 1))
        expect(table.nextTime() == nil)
        table.end(one)
        expect(table.takeWantedAgain(one))
        expect(!table.takeWantedAgain(one))
        expect(!table.wantAgain(one))
        expect(!table[one].isWantedAgain)
    }

    // MARK: Steps

    @Test func onlyAScheduledItemStarts() {
        var table = UploadTable()
        expect(!table.start(one, step()))
        table.schedule(one, at: 1)
        expect(table.start(one, step()))
        expect(table.running == [one])
        expect(table.isBusy(one))
        expect(!table.start(one, step()))
        table.end(one)
        expect(table.park(one))
        expect(!table.start(one, step()))
        expect(table.running.isEmpty)
    }

    @Test func anItemIsIdleAfterItsStep() {
        var table = running([one])
        expect(table.end(one) != nil)
        expect(phase(one, in: table) == "idle")
        expect(table.running.isEmpty)
        expect(table.end(one) == nil)
        expect(table.end(two) == nil)
    }

    @Test func aBusyItemIsNeitherBlockedNorParkedNorPutOff() {
        var table = running([one])
        table.setAccepted(one, AcceptedContents(generation: 1, size: 1))
        expect(!table.block(one, on: two, until: 1))
        expect(!table.park(one))
        expect(!table.awaitConfirmation(one, until: 1))
        expect(!table.backOff(one) { _ in 1 })
        expect(!table.reserve(one, by: two))
        expect(!table.succeed(one, two))
        expect(phase(one, in: table) == "running")
        expect(table[one].attempts == 0)
    }

    @Test func failuresAreCountedUntilASuccess() {
        var table = UploadTable()
        for count in 1...3 {
            expect(table.backOff(one) { 10 * Double($0) })
            expect(table[one].attempts == count)
            expect(phase(one, in: table) == "backing off \(10 * count).0")
        }
        expect(table.noteCycle(one) == 1)
        expect(table.noteCycle(one) == 2)
        table.forgetFailures(of: one)
        expect(table[one].attempts == 0)
        expect(table[one].cycles == 2)
        table.noteSuccess(one)
        expect(table[one].cycles == 0)
    }

    @Test func aParkedItemIsDueWhenItIsScheduled() {
        var table = UploadTable()
        expect(table.park(one))
        expect(table.nextTime() == nil)
        expect(phase(one, in: table) == "parked")
        table.schedule(one, at: 3)
        expect(table.firstDue(at: 3) == one)
    }

    // MARK: Confirmation

    @Test func onlyAcceptedContentsAwaitConfirmation() {
        var table = UploadTable()
        expect(!table.awaitConfirmation(one, until: 5))
        table.setAccepted(one, AcceptedContents(generation: 1, size: 10))
        expect(table.unconfirmed == [one])
        expect(table.awaitConfirmation(one, until: 5))
        expect(phase(one, in: table) == "awaiting 5.0")
        expect(table.nextTime() == 5)
        table.setAccepted(one, nil)
        expect(phase(one, in: table) == "queued 5.0")
        expect(table.unconfirmed.isEmpty)
    }

    // MARK: Blockers

    @Test func waitersAreDueAfterTheirBlocker() {
        var table = UploadTable()
        table.block(one, on: three, until: 300)
        table.block(two, on: three, until: 300)
        table.wakeWaiters(of: one, at: 1)
        expect(table.nextTime() == 300)
        table.wakeWaiters(of: three, at: 2)
        expect(phase(one, in: table) == "queued 2.0")
        expect(phase(two, in: table) == "queued 2.0")
        table.schedule(one, at: 9)
        table.wakeWaiters(of: three, at: 3)
        expect(phase(one, in: table) == "queued 9.0")
    }

    @Test func anItemWaitsForTheBlockersOfItsBlocker() {
        var table = UploadTable()
        table.block(one, on: two, until: 300)
        table.block(two, on: three, until: 300)
        expect(table.waits(one, for: three))
        expect(table.waits(one, for: two))
        expect(!table.waits(three, for: one))
        // A cycle ends, too.
        table.block(three, on: one, until: 300)
        expect(table.waits(one, for: one))
        expect(!table.waits(one, for: ItemNumber(rawValue: 99)))
    }

    @Test func aRunningStepMayFindThatItsItemStillWaits() {
        var table = UploadTable()
        table.block(one, on: two, until: 300)
        table.block(two, on: three, until: 300)
        for number in [one, two] { expect(table.start(number, step())) }
        expect(!table.waits(one, for: three))
        expect(table.mayWait(one, for: two))
        expect(table.mayWait(one, for: three))
        expect(!table.mayWait(three, for: one))
        table.end(two)
        expect(!table.mayWait(one, for: three))
        // A woken item does not wait.
        table.block(two, on: three, until: 300)
        table.wakeWaiters(of: three, at: 1)
        expect(table.start(two, step()))
        expect(!table.mayWait(two, for: three))
    }

    // MARK: Reservations

    @Test func aReservedItemKeepsItsBlocker() {
        var table = running([one])
        table.block(two, on: one, until: 300)
        expect(table.reserve(two, by: one))
        expect(table.isBusy(two))
        expect(table.waits(two, for: one))
        expect(table.nextTime() == nil)
        table.schedule(two, at: 1)
        expect(table.endReservation(two, at: 4))
        expect(phase(two, in: table) == "blocked 11 4.0")
        expect(!table[two].isWantedAgain)
        expect(!table.endReservation(two, at: 5))
        expect(table.nextTime() == 4)
    }

    @Test func aReservedItemWhoseBlockerEndedIsQueued() {
        var table = UploadTable()
        table.block(two, on: one, until: 300)
        table.reserve(two, by: one)
        table.wakeWaiters(of: one, at: 1)
        expect(phase(two, in: table) == "reserved 0")
        expect(!table.reserve(two, by: one))
        expect(table.endReservation(two, at: 4))
        expect(phase(two, in: table) == "queued 4.0")
    }

    // MARK: Successors

    @Test func aSuccessorWaitsForTheUploadOfTheItemThatItReplaced() {
        var table = running([one], sendsContents: true)
        expect(table.sender(for: one) == one)
        expect(table.sender(for: two) == nil)
        table.schedule(two, at: 1)
        expect(table.succeed(two, one))
        expect(table.isBusy(two))
        expect(table.sender(for: two) == one)
        expect(table.nextTime() == nil)
        expect(table[one].step?.successor == two)
        table.schedule(two, at: 1)
        expect(table.end(one)?.successor == two)
        expect(phase(two, in: table) == "idle")
        expect(!table[two].isWantedAgain)
    }

    @Test func theSuccessorOfASuccessorTakesItsTurn() {
        var table = running([one], sendsContents: true)
        table.succeed(two, one)
        expect(table.succeed(three, two))
        expect(phase(two, in: table) == "idle")
        expect(table.sender(for: three) == one)
        expect(table.end(one)?.successor == three)
    }

    @Test func nothingSucceedsAnItemThatSendsNoContents() {
        var table = running([one])
        expect(!table.succeed(two, one))
        expect(!table.succeed(two, three))
        expect(table.setSendsContents(one, true))
        expect(table.succeed(two, one))
        expect(!table.setSendsContents(three, true))
        expect(!table.succeed(one, one))
    }

    // MARK: Forgetting

    @Test func nothingIsLeftOfAForgottenItem() {
        var table = UploadTable()
        table.noteEdited(one)
        table.setAccepted(one, AcceptedContents(generation: 1, size: 1))
        table.setUnfit(one, .creation)
        table.backOff(one) { _ in 4 }
        table.block(one, on: two, until: 5)
        table.forget(one)
        expect(table[one].isEmpty)
        expect(table.nextTime() == nil)
        expect(table.unconfirmed.isEmpty)
        table.wakeWaiters(of: two, at: 1)
        expect(phase(one, in: table) == "idle")
    }

    @Test func aSuccessEndsAnUnfitMoveAndNoUnfitCreation() {
        var table = UploadTable()
        table.setUnfit(one, .move)
        table.noteSuccess(one)
        expect(table[one].isEmpty)
        for unfit in [UnfitReply.creation, .repeatableCreation] {
            table.setUnfit(two, unfit)
            table.noteSuccess(two)
            expect(table[two].unfit == unfit)
        }
        table.setUnfit(two, nil)
        expect(table[two].isEmpty)
    }

    @Test func aForgottenItemStaysBusy() {
        var table = running([one])
        table.noteEdited(one)
        table.schedule(one, at: 1)
        table.forget(one)
        expect(phase(one, in: table) == "running")
        expect(table[one].generation == 0)
        expect(!table[one].isWantedAgain)
        expect(table.running == [one])
    }
}
