import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// The source locations of calls of coordinators, which messages about deadlocks contain.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct CallSiteTests {
    private let folder: TestFolder

    /// Set before the first coordinator exists. No test of this suite needs the daemon, and a busy machine may be
    /// slow to run a presenter.
    private static let isWithinProcess: Bool =
        setenv("PURVEY_COORDINATION", "process", 1) == 0 && setenv("PURVEY_PRESENTER_TIME_LIMIT", "600", 0) == 0

    init() throws {
        try #require(Self.isWithinProcess)
        folder = try TestFolder()
    }

    private func file(_ name: String) throws -> URL {
        try folder.file(name)
        return URL(fileURLWithPath: folder.path + "/" + name)
    }

    private static let line = #line + 4

    private static func write(_ url: URL, _ accessor: () -> Void = {}) -> String? {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: &error) { _ in accessor() }
        return error?.localizedDescription
    }

    @Test func aCallThatWouldWaitForItselfFailsAndNamesBothPlaces() throws {
        let file = try file("a")
        var error: NSError?
        let outer = #line + 1
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in
                Issue.record("the accessor ran")
            }
        }
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == Int(EDEADLK))
        let words = error?.localizedDescription ?? ""
        #expect(words.contains("CallSiteTests.swift:\(outer) "), "\(words)")
        #expect(words.contains("CallSiteTests.swift:\(outer + 1) "), "\(words)")
    }

    @Test func threadsThatWaitForEachOtherAreToldBothPlaces() async throws {
        let (one, two) = (try file("one"), try file("two"))
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        @Sendable func nest(
            _ outer: URL, _ inner: URL, _ holds: DispatchSemaphore, _ other: DispatchSemaphore
        ) -> String? {
            var words: String?
            let failure = Self.write(outer) {
                holds.signal()
                other.wait()
                words = Self.write(inner)
            }
            return failure ?? words
        }
        async let refusal = nest(one, two, first, second)
        let other = nest(two, one, second, first)
        // The coordinator that asks last gets the error.
        let words = [await refusal, other].compactMap { $0 }
        #expect(words.count == 1)
        for place in ["CallSiteTests.swift:\(Self.line) ", "CallSiteTests.write("] {
            #expect(words.first?.components(separatedBy: place).count == 3, "\(words)")
        }
    }

    @Test func aDeadlockNamesThePlaceOfAnAccessThatDoesNotItselfWait() throws {
        let url = try file("file")
        var words: String?
        var error: NSError?
        let outer = NSFileCoordinator(filePresenter: nil)
        let inner = NSFileCoordinator(filePresenter: nil)
        let line = #line + 1
        outer.coordinate(writingItemAt: url, error: nil) { url in
            inner.coordinate(writingItemAt: url, error: &error) { _ in }
            words = error?.localizedDescription
        }
        #expect(words?.contains("CallSiteTests.swift:\(line + 1)") == true, "\(words ?? "")")
        #expect(words?.contains("at CallSiteTests.swift:\(line)") == true, "\(words ?? "")")
    }

    @Test func threadsThatWaitInsideOfAnAccessAreServedWhileMemoryComesAndGoes() async throws {
        let shared = try file("shared")
        let isOver = DispatchSemaphore(value: 0)
        @Sendable func mapMemory() {
            while isOver.wait(timeout: .now()) == .timedOut {
                let pages = mmap(nil, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                if let pages, pages != MAP_FAILED { munmap(pages, 1 << 20) }
            }
        }
        async let mapping: Void = mapMemory()
        let failures = await withTaskGroup(of: String?.self) { group in
            for number in 0..<60 {
                let own = URL(fileURLWithPath: folder.path + "/own \(number)")
                group.addTask {
                    var inner: String?
                    let outer = Self.write(own) { inner = Self.write(shared) }
                    return outer ?? inner
                }
            }
            return await group.reduce(into: [String]()) { if let words = $1 { $0.append(words) } }
        }
        isOver.signal()
        await mapping
        #expect(failures.isEmpty)
    }
}
