import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Where coordinators were called, as messages about deadlocks have it.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CallSiteTests {
    private static let line = #line + 4

    private static func write(_ url: URL, _ accessor: () -> Void = {}) -> String? {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: &error) { _ in accessor() }
        return error?.localizedDescription
    }

    @Test func threadsThatWaitForEachOtherAreToldBothPlaces() async throws {
        let folder = try CoordinationFolder()
        let (one, two) = (try folder.file("one"), try folder.file("two"))
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        func nest(_ outer: URL, _ inner: URL, _ holds: DispatchSemaphore, _ other: DispatchSemaphore) async -> String? {
            await onThread {
                var words: String?
                let failure = Self.write(outer) {
                    holds.signal()
                    other.wait()
                    words = Self.write(inner)
                }
                return failure ?? words
            }
        }
        async let one1 = nest(one, two, first, second)
        let two2 = await nest(two, one, second, first)
        // The one that asks last is told.
        let words = [await one1, two2].compactMap { $0 }
        #expect(words.count == 1)
        #expect(words.first?.components(separatedBy: "CallSiteTests.swift:\(Self.line) ").count == 3, "\(words)")
    }

    @Test func aDeadlockNamesThePlaceOfAnAccessThatDoesNotItselfWait() async throws {
        let folder = try CoordinationFolder()
        let url = try folder.file("file")
        let words = await onThread {
            var words: String?
            var error: NSError?
            let outer = NSFileCoordinator(filePresenter: nil)
            let inner = NSFileCoordinator(filePresenter: nil)
            let line = #line + 1
            outer.coordinate(writingItemAt: url, error: nil) { url in
                inner.coordinate(writingItemAt: url, error: &error) { _ in }
                words = error?.localizedDescription
            }
            let (first, second) = ("CallSiteTests.swift:\(line + 1)", "CallSiteTests.swift:\(line)")
            return words.map { $0.contains(first) && $0.contains("at \(second)") ? "" : $0 }
        }
        #expect(words == "")
    }

    @Test func threadsThatWaitInsideOfAnAccessAreServedWhileMemoryComesAndGoes() async throws {
        let folder = try CoordinationFolder()
        let shared = try folder.file("shared")
        let isOver = Shared(false)
        async let mapping: Void = onThread {
            while !isOver.withLock({ $0 }) {
                let pages = mmap(nil, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                if let pages, pages != MAP_FAILED { munmap(pages, 1 << 20) }
            }
        }
        let failures = await withTaskGroup(of: String?.self) { group in
            for number in 0..<60 {
                let own = folder["own \(number)"]
                group.addTask {
                    await onThread {
                        var inner: String?
                        let outer = Self.write(own) { inner = Self.write(shared) }
                        return outer ?? inner
                    }
                }
            }
            return await group.reduce(into: [String]()) { if let words = $1 { $0.append(words) } }
        }
        isOver.withLock { $0 = true }
        await mapping
        #expect(failures.isEmpty)
    }
}
