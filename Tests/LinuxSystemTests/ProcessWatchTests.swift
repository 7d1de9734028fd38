import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TestThreads
import Testing

@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ProcessWatchTests {
    /// Runs in a process of its own, because other tests watch processes, too, and for long.
    @Test func theEndsOfManyProcessesAreWaitedForOnOneThread() async {
        await #expect(processExitsWith: .success) {
            let watch = ProcessWatch()
            let told = Told()
            let (child, process) = try sleeper()
            let (other, stays) = try sleeper()
            for number in UInt64(1)...500 {
                watch.watch(process, for: .seconds(3_600), as: number) { told.add(number, $0) }
            }
            watch.watch(stays, for: .seconds(3_600), as: 501) { told.add(501, $0) }
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "purvey-watch\n"
            }
            // A thread that has just started has no name yet.
            #expect(threads.count <= 1)
            #expect(told.current.isEmpty)
            kill(child.processID, SIGKILL)
            try await told.has(500)
            #expect(told.current.values.allSatisfy { $0 } && told.current[501] == nil)
            kill(other.processID, SIGKILL)
            try await told.has(501)
            #expect(told.current[501] == true)
            _ = (try child.wait(), try other.wait())
        }
    }

    @Test func cancelledWatchesAreSilentAndTimeoutsReported() async throws {
        let watch = ProcessWatch()
        let told = Told()
        let own = try ProcessDescriptor.open(getpid())
        let (child, process) = try sleeper()
        watch.watch(process, for: .seconds(3_600), as: 1) { told.add(1, $0) }
        watch.watch(own, for: .milliseconds(20), as: 2) { told.add(2, $0) }
        try await told.has(1)
        #expect(told.current == [2: false])
        watch.stopWatching(1)
        kill(child.processID, SIGKILL)
        _ = try child.wait()
        // The watching thread has either ended by then or continues.
        watch.watch(own, for: .milliseconds(20), as: 3) { told.add(3, $0) }
        try await told.has(2)
        #expect(told.current == [2: false, 3: false])
    }
}

private final class Told: Sendable {
    private let all = Mutex<[UInt64: Bool]>([:])

    func add(_ number: UInt64, _ hasEnded: Bool) { all.withLock { $0[number] = hasEnded } }
    var current: [UInt64: Bool] { all.withLock { $0 } }

    func has(_ count: Int) async throws {
        while current.count < count { try await Task.sleep(for: .milliseconds(5)) }
    }
}

private func sleeper() throws -> (ChildProgram, ProcessDescriptor) {
    let child = try ChildProgram.start("/bin/sleep", arguments: ["1000"], descriptors: [nil, nil, nil])
    return (child, try ProcessDescriptor.open(child.processID))
}
