import FileCoordination
import Foundation
import LinuxSystem
import TestThreads
import Testing

/// A process that coordinates alone, because no daemon was running, and that tries to connect to a daemon again.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct LookingForTheDaemonTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    /// A daemon that refuses the first connection, may drop the second at once, and keeps later ones.
    private final class LateDaemon: SharedCoordination {
        private struct Refusal: Error {}

        private let attempts = Shared(0)
        private let goesAtOnce: Bool
        let record: Record

        init(_ record: Record, goesAtOnce: Bool) {
            self.record = record
            self.goesAtOnce = goesAtOnce
        }

        func connect(
            receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
            place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
        ) throws -> any CoordinationAuthority {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 { throw Refusal() }
            record.add("connected")
            if attempt > 2 || !goesAtOnce { return Authority(record, receive) }
            lost()
            record.add("lost")
            return Silence()
        }
    }

    private struct Silence: CoordinationAuthority {
        func send(_ event: CoordinationEvent) {}
        func findPlace(
            ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
        ) { completion(nil) }
    }

    private final class Authority: CoordinationAuthority {
        private let host: ArbiterHost
        private let record: Record

        init(_ record: Record, _ receive: @escaping @Sendable ([CoordinationEffect]) -> Void) {
            self.record = record
            host = ArbiterHost { _, effects in receive(effects) }
        }

        func send(_ event: CoordinationEvent) {
            if case .present = event { record.add("presents") }
            if case .removePresenter = event { record.add("is gone") }
            host.apply(event, from: 0)
        }
        func findPlace(
            ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
        ) { completion(nil) }
    }

    @Test func aDaemonThatGoesWhileItIsFoundIsNotWaitedFor() async throws {
        let file = try folder.file("a.txt")
        let record = Record()
        let process = ProcessCoordination(
            shared: LateDaemon(record, goesAtOnce: true), pause: .milliseconds(1))
        // Each read is granted, with or without a daemon.
        var reads = 0
        while reads < 100 || record.all.filter({ $0 == "connected" }).count < 2 {
            let hasRead = await onThread {
                var hasRead = false
                NSFileCoordinator(in: process).coordinate(readingItemAt: file, error: nil) { _ in hasRead = true }
                return hasRead
            }
            try #require(hasRead)
            reads += 1
        }
        #expect(record.contains("lost"))
    }

    @Test func aProcessThatOnlyPresentsFindsTheDaemonThatComesLater() async throws {
        let record = Record()
        let process = ProcessCoordination(
            shared: LateDaemon(record, goesAtOnce: false), pause: .milliseconds(1))
        let presenter = RecordingPresenter(try folder.file("a.txt"), Record())
        process.add(presenter)
        await eventually { record.contains("presents") }
        process.remove(ObjectIdentifier(presenter))
    }

    @Test func presentersThatGoWithoutBeingRemovedAreForgotten() async throws {
        let record = Record()
        let process = ProcessCoordination(shared: LateDaemon(record, goesAtOnce: false), pause: .milliseconds(1))
        let file = try folder.file("a.txt")
        let first = RecordingPresenter(nil, Record())
        process.add(first)
        await eventually { record.contains("presents") }
        // A new presenter often has the address of the previous one.
        for _ in 0..<200 { process.add(RecordingPresenter(nil, Record())) }
        // A claim removes the deallocated presenters. A thread that asks a presenter for its URL may keep it alive
        // for that moment.
        while record.all.filter({ $0 == "is gone" }).count < 200 {
            await onThread { NSFileCoordinator(in: process).coordinate(readingItemAt: file, error: nil) { _ in } }
        }
        #expect(record.all.filter { $0 == "presents" }.count == 201)
        #expect(record.all.filter { $0 == "is gone" }.count == 200)
        process.remove(ObjectIdentifier(first))
    }
}
