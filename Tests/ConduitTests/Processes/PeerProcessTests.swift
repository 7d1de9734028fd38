import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Calls, failures and limits between two processes.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct PeerProcessTests {
    @Test func callsReachAnotherProcess() async throws {
        let (process, connection) = try PeerProcess.answering()
        defer { connection.close() }
        let status = try await connection.call(Status())
        #expect(status.processID == process.program.processID)
        let reply = try await connection.call(Echo(Parcel(number: 1, words: "there and back", bytes: [1, 2])))
        #expect(reply.words == "there and back")
    }

    @Test func tenThousandCallsAreAnsweredAndLeaveNothingOpen() async throws {
        let (process, connection) = try PeerProcess.answering()
        defer { connection.close() }
        let file = try MemoryFile.create(name: "test")
        let before = try await connection.call(Status()).openDescriptors
        for number in 0..<10_000 {
            // Every tenth message passes a descriptor in both directions.
            let parcel = Parcel(number: Int64(number), files: number % 10 == 0 ? [file] : [])
            let reply = try await connection.call(Echo(parcel))
            try #require(reply.number == Int64(number) && reply.files.count == parcel.files.count)
        }
        // The peer closes what it was sent on another thread.
        try await eventually { try await connection.call(Status()).openDescriptors == before }
        withExtendedLifetime(process) {}
    }

    @Test func aThousandCallsAtOnceAreAnsweredByAnotherProcess() async throws {
        let (process, connection) = try PeerProcess.answering()
        defer { connection.close() }
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<1000 {
                group.addTask { try await connection.call(Echo(Parcel(number: Int64(number)))).number }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 999 * 1000 / 2)
        withExtendedLifetime(process) {}
    }

    @Test func descriptorsPassedInEveryWayAreClosedAgain() async throws {
        let (process, connection) = try PeerProcess.answering()
        defer { connection.close() }
        let counts = try await connection.call(Exercise(rounds: 20))
        // Some descriptors of the first round may still have been open at the first count.
        #expect(counts.after <= counts.before)
        withExtendedLifetime(process) {}
    }

    @Test func callsInFlightFailWhenTheOtherProcessIsKilled() async throws {
        let (process, connection) = try PeerProcess.answering()
        let answers = (0..<10).map { _ in
            let answer = Expectation<Result<Empty, ConduitError>>()
            connection.call(Wait()) { answer.fulfill($0) }
            return answer
        }
        try await eventually { try await connection.call(Status()).heldWaits == 10 }
        let closed = Expectation<CloseReason>()
        connection.onClose { closed.fulfill($0) }
        try process.descriptor.send(signal: SIGKILL)
        for answer in answers {
            #expect(try await answer.value() == .failure(.disconnected(.closedByPeer)))
            #expect(answer.count == 1)
        }
        #expect(try await closed.value() == .closedByPeer)
        #expect(connection.closeReason == .closedByPeer)
        await #expect(throws: ConduitError.disconnected(.closedByPeer)) { try await connection.call(Status()) }
        #expect(throws: ConduitError.disconnected(.closedByPeer)) { try connection.notify(Remark("late")) }
        let late = Expectation<CloseReason>()
        connection.onClose { late.fulfill($0) }
        #expect(try await late.value() == .closedByPeer)
    }

    @Test func aStoppedProcessHoldsUpNeitherTheCallerNorOthers() async throws {
        let limits = ConnectionLimits(callsInFlight: 100_000, queuedBytes: 1 << 20)
        let (process, connection) = try PeerProcess.answering(limits: limits)
        let (other, bystander) = try PeerProcess.answering()
        defer { bystander.close() }
        _ = try await connection.call(Status())
        try process.stop()
        let cancelled = Expectation<Result<Empty, ConduitError>>()
        let pending = connection.call(Wait()) { cancelled.fulfill($0) }
        pending.cancel()
        #expect(try await cancelled.value() == .failure(.cancelled))
        // More than the socket buffers: the remaining calls wait in the queue, in order.
        let large = Parcel(bytes: [UInt8](repeating: 1, count: 10_000))
        let answers = (0..<60).map { number in
            let answer = Expectation<Result<Parcel, ConduitError>>()
            connection.call(Echo(Parcel(number: Int64(number), bytes: large.bytes))) { answer.fulfill($0) }
            return answer
        }
        #expect(try await bystander.call(Echo(Parcel(number: 4))).number == 4)
        try process.descriptor.send(signal: SIGCONT)
        for (number, answer) in answers.enumerated() {
            #expect(try await answer.value().get().number == Int64(number))
        }
        try await eventually { try await connection.call(Status()).cancelledWaits == 1 }

        // While the process stays stopped, the queue reaches its limit and the connection closes.
        try process.stop()
        let closed = Expectation<CloseReason>()
        connection.onClose { closed.fulfill($0) }
        let lost = (0..<300).map { _ in
            let answer = Expectation<Result<Parcel, ConduitError>>()
            connection.call(Echo(large)) { answer.fulfill($0) }
            return answer
        }
        let reason = try await closed.value()
        guard case .peerTooSlow = reason else {
            Issue.record("\(reason)")
            return
        }
        // Some calls may have been answered before the process was stopped.
        var failures = 0
        for answer in lost {
            guard case .failure(let error) = try await answer.value() else { continue }
            #expect(error == .disconnected(reason))
            failures += 1
        }
        #expect(failures > 100)
        #expect(lost.allSatisfy { $0.count == 1 })
        #expect(try await bystander.call(Echo(Parcel(number: 5))).number == 5)
        withExtendedLifetime(other) {}
    }

    @Test func aProcessOutOfDescriptorsFailsTheCallsThatBringThemAndNoOthers() async throws {
        let (process, connection) = try PeerProcess.answering()
        defer { connection.close() }
        let file = try MemoryFile.create(name: "test")
        let files = [FileDescriptor](repeating: file, count: 8)
        for spare in [0, 3, 7] {
            _ = try await connection.call(LimitDescriptors(spare: spare))
            let error = await #expect(throws: ConduitError.self) {
                try await connection.call(Echo(Parcel(files: files)))
            }
            #expect(error?.remote?.conduitCode == .descriptorsLost)
            // A large request arrives in a descriptor as well.
            if spare == 0 {
                let large = Parcel(bytes: [UInt8](repeating: 1, count: 100_000))
                let error = await #expect(throws: ConduitError.self) { try await connection.call(Echo(large)) }
                #expect(error?.remote?.conduitCode == .descriptorsLost)
            }
            #expect(try await connection.call(Echo(Parcel(number: 7))).number == 7)
        }
        // The runtime's timers, which a busy machine may start only now, take descriptors, too.
        _ = try await connection.call(LimitDescriptors(spare: 100))
        #expect(try await connection.call(Echo(Parcel(files: files))).files.count == 8)
        withExtendedLifetime(process) {}
    }

    @Test(
        .enabled(if: getuid() == 0, "only root can become another user, and only others have the limit"),
        arguments: [0, 600])
    func descriptorsBeyondTheLimitOfThoseInFlightWaitUntilThereIsRoom(largeCalls: Int) throws {
        #expect(try PeerProcess.crowd(after: largeCalls) == .exited(0))
    }
}
