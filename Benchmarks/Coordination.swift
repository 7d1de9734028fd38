import Dispatch
import Exchange
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Synchronization

extension Section {
    /// File coordination: an uncontended read, with the daemon and within the process, and a crowd of waiting claims.
    static let coordination = Section(name: "coordination") { report in
        let home = try ScratchFolder()
        setenv("PURVEY_HOME", home.path, 1)
        defer {
            endDaemon()
            unsetenv("PURVEY_HOME")
            unsetenv("PURVEY_COORDINATION")
        }
        let shared = try values(of: .coordinationReader, 2)
        let peer = Figure.Peer(name: "bare socket", value: shared[0])
        report.add(
            Figure(
                name: "coordinated read, with a daemon", value: shared[1], unit: .seconds, peer: peer,
                target: .ratioAtMost(5)))
        let sharedCrowd = try values(of: .coordinationCrowd, 5)
        setenv("PURVEY_COORDINATION", "process", 1)
        let alone = try values(of: .coordinationReader, 2)
        report.add(
            Figure(
                name: "coordinated read, within the process", value: alone[1], unit: .seconds, peer: nil,
                target: .atMost(10e-6)))
        let aloneCrowd = try values(of: .coordinationCrowd, 5)
        // The number of lost claims need not be checked, because the measuring process would never end if a claim was
        // lost.
        for (name, crowd) in [("with a daemon", sharedCrowd), ("within the process", aloneCrowd)] {
            report.add(
                Figure(
                    name: "10,000 claims of 1,000 files, \(name)", value: crowd[0], unit: .seconds,
                    peer: .init(name: "flock", value: crowd[1])))
            report.add(
                Figure(
                    name: "the same", value: crowd[0], unit: .seconds,
                    peer: .init(name: "fcntl leases without waiters", value: crowd[2])))
            report.add(
                Figure(
                    name: "10,000 claims of one file, \(name)", value: crowd[3], unit: .seconds, peer: nil,
                    target: .atMost(1)))
            report.add(
                Figure(
                    name: "200 threads, each within another claim, \(name)", value: crowd[4], unit: .seconds, peer: nil,
                    target: .atMost(1)))
        }
    }

    /// Ends the daemon that the measuring processes have started. The daemon reports its PID.
    private static func endDaemon() {
        guard let locations = try? Locations.current() else { return }
        let client = ExchangeClient(locations)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            if let status = try? await client.call(StatusCall()) { kill(status.processID, SIGTERM) }
            done.signal()
        }
        done.wait()
        client.disconnect()
    }

    private static func values(of role: ChildRole, _ count: Int) throws -> [Double] {
        let line = try BenchmarkChild.output(of: role)
        let values = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard values.count == count else { throw CoordinationError(description: "\(role.name) printed '\(line)'") }
        return values
    }
}

private struct CoordinationError: Error, CustomStringConvertible {
    let description: String
}

extension ChildRole {
    /// Prints the medians in seconds of the bare round trip and of a coordinated read.
    static let coordinationReader = ChildRole(name: "coordination-reader") { _ in
        // The daemon and the peer are started from this thread and stay on its processor.
        try Processor.pinThread(to: 0)
        let folder = try ScratchFolder()
        let file = URL(fileURLWithPath: folder.path + "/file")
        try Data("text".utf8).write(to: file)
        let coordinator = NSFileCoordinator(filePresenter: nil)
        let bare = try BareRoundTrip()
        var times: (bare: [Double], read: [Double]) = ([], [])
        // Short rounds alternate, so that other load affects both alike.
        for round in 0..<101 {
            let trip = bare.seconds(trips: 500)
            var count = 0
            let reads = Measure.seconds {
                for _ in 0..<200 {
                    coordinator.coordinate(readingItemAt: file, error: nil) { _ in count += 1 }
                }
            }
            guard count == 200 else { throw CoordinationError(description: "only \(count) reads were granted") }
            if round == 0 { continue }
            times.bare.append(trip)
            times.read.append(reads / 200)
        }
        print(Measure.median(times.bare), Measure.median(times.read))
    }

    /// Prints the seconds until many waiting claims were served, and the seconds for the same number of the kernel's
    /// file locks.
    static let coordinationCrowd = ChildRole(name: "coordination-crowd") { _ in
        let folder = try ScratchFolder()
        let crowd = try CoordinationCrowd(folder.path)
        print(
            try crowd.drain(), try crowd.lock { $0.flockAndUnlock(exclusively: $1) },
            try crowd.lock { file, _ in file.leaseAndGiveBack() },
            try crowd.drain(path: crowd.first), try crowd.nest())
    }
}

/// 10,000 claims, each for one of 1,000 files.
private final class CoordinationCrowd: Sendable {
    private let paths: [String]
    private let folder: String
    private static let claims = 10_000
    private static let threads = 4
    /// The number of threads that use the kernel's file locks. A waiting lock blocks its thread, so at most this many
    /// wait.
    private static let lockers = 64

    init(_ folder: String) throws {
        self.folder = folder
        paths = (0..<1_000).map { "\(folder)/\($0)" }
        for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
    }

    /// One of the files.
    var first: String { paths[0] }

    /// Returns the seconds in which all claims are served. At first, all of them wait for a writer of the directory.
    /// Every fourth claim is for writing.
    ///
    /// - Parameter path: a file that all claims write; `nil` if the claims are for the 1,000 files.
    func drain(path: String? = nil) throws -> Double {
        let all = DispatchSemaphore(value: 0)
        let left = Countdown(Self.claims) { all.signal() }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = Self.threads
        var start = ContinuousClock.now
        var failure: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: URL(fileURLWithPath: folder), error: &failure
        ) { _ in
            for number in 0..<Self.claims {
                let url = URL(fileURLWithPath: path ?? paths[number % paths.count])
                let intent: NSFileAccessIntent =
                    number % 4 == 0 || path != nil ? .writingIntent(with: url) : .readingIntent(with: url)
                NSFileCoordinator(filePresenter: nil).coordinate(with: [intent], queue: queue) { error in
                    if let error { complain("a claim failed: \(error)") }
                    left.step()
                }
            }
            start = .now
        }
        if let failure { throw failure }
        all.wait()
        return start.duration(to: .now) / .seconds(1)
    }

    /// Returns the seconds in which many threads each write a separate file and, in a nested claim, a common file.
    func nest() throws -> Double {
        let count = 200
        let all = DispatchSemaphore(value: 0)
        let left = Countdown(count) { all.signal() }
        return Measure.seconds {
            for number in 1...count {
                Thread.detachNewThread { [paths] in
                    func write(_ path: String, _ accessor: () -> Void) {
                        var error: NSError?
                        NSFileCoordinator(filePresenter: nil).coordinate(
                            writingItemAt: URL(fileURLWithPath: path), error: &error
                        ) { _ in accessor() }
                        if let error { complain("a claim failed: \(error)") }
                    }
                    write(paths[number]) { write(paths[0]) {} }
                    left.step()
                }
            }
            all.wait()
        }
    }

    /// Returns the seconds in which threads acquire locks. All threads lock the same files in the same order, so that
    /// they contend. Every fourth lock is for writing.
    ///
    /// - Parameter body: acquires a file's lock, for writing if its second argument is `true`, and releases it. Returns
    ///   whether that succeeded.
    func lock(_ body: @escaping @Sendable (LockedFile, Bool) -> Bool) throws -> Double {
        let all = DispatchSemaphore(value: 0)
        let left = Countdown(Self.lockers) { all.signal() }
        let failures = Failures()
        let seconds = Measure.seconds {
            for thread in 0..<Self.lockers {
                // All threads together take as many locks as there are claims.
                let count = Self.claims / Self.lockers + (thread < Self.claims % Self.lockers ? 1 : 0)
                Thread.detachNewThread { [paths] in
                    for number in 0..<count where !body(LockedFile(path: paths[number]), (number + thread) % 4 == 0) {
                        failures.count.add(1, ordering: .relaxed)
                    }
                    left.step()
                }
            }
            all.wait()
        }
        let count = failures.count.load(ordering: .relaxed)
        guard count == 0 else { throw CoordinationError(description: "\(count) locks were not granted") }
        return seconds
    }
}

private struct LockedFile: Sendable {
    let path: String

    func flockAndUnlock(exclusively: Bool) -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return false }
        return flock(file.rawValue, exclusively ? LOCK_EX : LOCK_SH) == 0 && flock(file.rawValue, LOCK_UN) == 0
    }

    func leaseAndGiveBack() -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return false }
        // 1024 is F_SETLEASE, which Glibc's module lacks.
        return fcntl(file.rawValue, 1024, F_RDLCK) == 0 && fcntl(file.rawValue, 1024, F_UNLCK) == 0
    }
}

private final class Failures: Sendable {
    let count = Atomic(0)
}

private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.done = done
    }

    func step() {
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
