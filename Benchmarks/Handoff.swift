import Dispatch
import Exchange
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization
import UniformTypeIdentifiers

extension Section {
    /// The whole path of an item: a provider's process, the daemon as the intermediary, and a consumer's process.
    static let handoff = Section(name: "handoff") { report in
        let home = try ScratchFolder()
        setenv("PURVEY_HOME", home.path, 1)
        defer {
            HandoffDaemon.end()
            unsetenv("PURVEY_HOME")
        }
        try measureLarge(&report)
        try measureMapping(&report)
        let values =
            try BenchmarkChild.output(of: .handoffConsumer).split(separator: "\n").last?.split(separator: " ") ?? []
        guard values.count == 3, let bare = Double(values[0]), let load = Double(values[1]),
            let awaited = Double(values[2])
        else { throw HandoffError("the pinned consumer printed \(values)") }
        let peer = Figure.Peer(name: "bare socket", value: bare)
        report.add(
            Figure(
                name: "load of 1 KiB, one processor", value: load, unit: .seconds, peer: peer, target: .ratioAtMost(4)))
        report.add(Figure(name: "awaited by another thread", value: awaited, unit: .seconds, peer: peer))
    }

    /// Measures the transfer of 1 GiB from a provider's memory until the consumer's completion handler receives it,
    /// compared with filling a memory file.
    private static func measureLarge(_ report: inout Report) throws {
        let size = 1 << 30
        // The memory suffices for the provider's data, the memory files of both sides, and memory that the last round
        // has not freed yet.
        Measure.warmMemory(byteCount: 4 * size)
        let provider = try HandoffProvider(dataSize: size)
        defer { provider.end() }
        let item = try provider.item()
        let source = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)
        defer { source.deallocate() }
        source.initializeMemory(as: UInt8.self, repeating: 7)
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for round in 0..<13 {
            let load = try Measure.seconds {
                let count = try HandoffLoad.dataCount(item, .data)
                guard count == size else { throw HandoffError("\(count) bytes arrived") }
            }
            // Both processes free the loaded data during this pause. The pause below does the same for the peer's
            // memory file.
            usleep(300_000)
            var file: FileDescriptor?
            let fill = try Measure.seconds {
                file = try MemoryFile.sealed(name: "benchmark") { file throws(Errno) in
                    try file.writeAll(UnsafeRawBufferPointer(source))
                }
            }
            withExtendedLifetime(file) {}
            file = nil
            usleep(300_000)
            // The first round warms the memory.
            if round > 0 { times = (times.ours + [load], times.theirs + [fill]) }
        }
        // Only the fastest rounds are compared. The host of a virtual machine reclaims memory that either process has
        // freed, and a round with cold pages would measure the host.
        let (ours, theirs) = (times.ours.min() ?? 0, times.theirs.min() ?? 0)
        report.add(
            Figure(
                name: "1 GiB to another process", value: ours, unit: .seconds,
                peer: .init(name: "filling a memfd", value: theirs), target: .ratioAtMost(1.3)))
    }

    /// Measures the consumer's duration if the offering process already has the bytes in memory files. The duration
    /// must not depend on the number of bytes.
    private static func measureMapping(_ report: inout Report) throws {
        let (largeSize, smallSize) = (1 << 30, 1 << 20)
        let largeProvider = try HandoffProvider(dataSize: largeSize, isFilled: true)
        defer { largeProvider.end() }
        let large = try largeProvider.item()
        let smallProvider = try HandoffProvider(dataSize: smallSize, isFilled: true)
        defer { smallProvider.end() }
        let small = try smallProvider.item()
        let loads = 200
        func load(_ item: NSItemProvider, _ size: Int) throws {
            for _ in 0..<loads {
                let count = try HandoffLoad.dataCount(item, .data)
                guard count == size else { throw HandoffError("\(count) bytes arrived") }
            }
        }
        let (ours, theirs) = try Measure.medians(rounds: 21) {
            try load(large, largeSize)
        } _: {
            try load(small, smallSize)
        }
        report.add(
            Figure(
                name: "1 GiB that is filled already", value: ours / Double(loads), unit: .seconds,
                peer: .init(name: "1 MiB", value: theirs / Double(loads)), target: .ratioAtMost(1.5)))
    }
}

extension ChildRole {
    /// Offers data of a given size as an item, until the process's standard input ends. With the argument `filled`, the
    /// data is in a memory file beforehand.
    static let handoffProvider = ChildRole(name: "handoff-provider") { arguments in
        guard let size = arguments.first.flatMap({ Int($0) }) else { throw HandoffError("no size") }
        let provider = NSItemProvider()
        if arguments.contains("filled") {
            let bytes = [UInt8](repeating: 7, count: size)
            let file = try MemoryFile.create(name: "benchmark")
            try bytes.withUnsafeBytes { bytes in try file.writeAll(bytes) }
            try MemoryFile.seal(file)
            provider.promise.register(
                Representation(typeIdentifier: UTType.data.identifier, visibility: .all, fileOptions: []) {
                    _, completion in
                    completion(.success(.memory(file, size: size)))
                    return nil
                })
        } else {
            let data = Data(repeating: 7, count: size)
            provider.registerDataRepresentation(for: .data) { completion in
                completion(data, nil)
                return nil
            }
        }
        let offered = DispatchSemaphore(value: 0)
        let offer = Mutex<Result<Offer, any Error>?>(nil)
        Board.shelf.offer(provider) { result in
            offer.withLock { $0 = result }
            offered.signal()
        }
        offered.wait()
        _ = try offer.withLock { $0 }?.get()
        print("offered")
        fflush(nil)
        while readLine() != nil {}
    }

    /// Prints the medians in seconds of the bare round trip, of a load of 1 KiB until its completion handler runs,
    /// and of a load that another thread waits for, all on one processor.
    static let handoffConsumer = ChildRole(name: "handoff-consumer") { _ in
        // Everything started from this thread stays on its processor: threads, the provider, the daemon.
        try Processor.pinThread(to: 0)
        let bare = try BareRoundTrip()
        let provider = try HandoffProvider(dataSize: 1024)
        defer { provider.end() }
        let item = try provider.item()
        let loads = 200
        var times: (bare: [Double], chained: [Double], awaited: [Double]) = ([], [], [])
        // Short rounds alternate, so that other load affects all alike.
        for round in 0..<101 {
            let trip = bare.seconds(trips: loads)
            let chained = try Measure.seconds { try HandoffLoad.chain(item, .data, times: loads) }
            let awaited = try Measure.seconds {
                for _ in 0..<loads { _ = try HandoffLoad.dataCount(item, .data) }
            }
            if round == 0 { continue }
            times.bare.append(trip)
            times.chained.append(chained / Double(loads))
            times.awaited.append(awaited / Double(loads))
        }
        print(Measure.median(times.bare), Measure.median(times.chained), Measure.median(times.awaited))
    }
}

/// Another process that offers one item.
private final class HandoffProvider {
    private let process: Companion
    /// The write end of the process's standard input. The process ends when it is closed.
    private var input: FileDescriptor?

    init(dataSize: Int, isFilled: Bool = false) throws {
        let output: FileDescriptor
        (process, input, output) = try Self.start([String(dataSize)] + (isFilled ? ["filled"] : []))
        guard try !output.readToEnd(limit: 1).isEmpty else { throw HandoffError("the provider's process ended") }
    }

    /// Starts the process. Closes this process's copies of the other ends of the pipes, so that they are open only in
    /// the new process.
    private static func start(
        _ arguments: [String]
    ) throws -> (process: Companion, input: FileDescriptor, output: FileDescriptor) {
        let (theirInput, input) = try FileDescriptor.pipe()
        let (output, theirOutput) = try FileDescriptor.pipe()
        let process = try Companion(
            FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--child", ChildRole.handoffProvider.name] + arguments, input: theirInput, output: theirOutput,
            errors: .copy(of: STDERR_FILENO))
        return (process, input, output)
    }

    /// Returns the item as this process sees it.
    func item() throws -> NSItemProvider {
        let listed = DispatchSemaphore(value: 0)
        let items = Mutex<Result<SharedItems, any Error>?>(nil)
        Board.shelf.items { result in
            items.withLock { $0 = result.map(SharedItems.init) }
            listed.signal()
        }
        listed.wait()
        guard let item = try items.withLock({ $0 })?.get().value.last else {
            throw HandoffError("nothing is offered")
        }
        return item
    }

    func end() {
        input = nil
        _ = try? process.waitForEnd(seconds: 60)
    }
}

/// Sendable: items that only pass from the completion handler to the thread that waits for them.
private struct SharedItems: @unchecked Sendable {
    let value: [NSItemProvider]
}

private enum HandoffLoad {
    /// Loads an item and waits, without reading the bytes.
    static func dataCount(_ item: NSItemProvider, _ type: UTType) throws -> Int {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<Int, any Error>>(.success(0))
        _ = item.loadDataRepresentation(for: type) { data, error in
            outcome.withLock { $0 = data.map { .success($0.count) } ?? .failure(error ?? HandoffError("no answer")) }
            done.signal()
        }
        done.wait()
        return try outcome.withLock { $0 }.get()
    }
}

extension HandoffLoad {
    /// Makes loads, each from the completion handler of the previous one, and waits for the last.
    static func chain(_ item: NSItemProvider, _ type: UTType, times: Int) throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        // The completion handlers run one at a time, and this thread does not use the item meanwhile.
        let shared = SharedItems(value: [item])
        @Sendable func next(_ left: Int) {
            guard left > 0 else {
                done.signal()
                return
            }
            _ = shared.value[0].loadDataRepresentation(for: type) { data, error in
                guard data == nil else { return next(left - 1) }
                failure.withLock { $0 = error }
                done.signal()
            }
        }
        next(times)
        done.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// The daemon that the measurements have started.
private enum HandoffDaemon {
    /// Ends the daemon, which reports its PID to this process.
    static func end() {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            if let status = try? await ExchangeClient.shared.call(StatusCall()) { kill(status.processID, SIGTERM) }
            done.signal()
        }
        done.wait()
    }
}

struct HandoffError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
