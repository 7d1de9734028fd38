import FileCoordination
import Foundation
import TestThreads
import Testing

/// Names that are equal only after Unicode normalization are names of two files.
@Suite(.ownThreads) struct ExactPathTests {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    @Test func pathsAreComparedByTheirBytes() {
        let (one, other) = (ExactPath("/" + Self.composed), ExactPath("/" + Self.decomposed))
        #expect(one.string == other.string && one != other && one.hashValue != other.hashValue)
        #expect(other < one && !(one < other))
        // The same number of bytes in another order.
        #expect(ExactPath("/a\u{301}\u{323}") != ExactPath("/a\u{323}\u{301}"))
        let long = String(repeating: "x", count: 100)
        #expect(ExactPath(long + "y") == ExactPath(long + "y") && ExactPath(long + "y") != ExactPath(long + "z"))
    }

    @Test func claimsAndPresentersOfBothAreApart() {
        var arbiter = Arbiter()
        func write(_ number: UInt64, _ path: ExactPath) -> [CoordinationEffect] {
            let request = ClaimRequest(
                number: number, accesses: [Access(path: path, key: path, traits: [.writes])], purpose: "\(number)")
            return arbiter.apply(.claim(request), from: 1).map(\.effect)
        }
        let (one, other) = (ExactPath("/d/" + Self.composed), ExactPath("/d/" + Self.decomposed))
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: other, key: other)), from: 2)
        #expect(write(1, one) == [.granted(claim: 1, paths: [], keys: [], hasWaited: false)])
        _ = arbiter.apply(.removePresenter(9), from: 2)
        #expect(write(2, other) == [.granted(claim: 2, paths: [], keys: [], hasWaited: false)])
        #expect(write(3, one).isEmpty)
    }

    @Test func aDirectorysPresenterHearsOfBoth() {
        var arbiter = Arbiter()
        let paths = [ExactPath("/d/" + Self.composed), ExactPath("/d/" + Self.decomposed)]
        _ = arbiter.apply(.present(PresenterPlace(number: 9, path: "/d", key: "/d")), from: 2)
        let accesses = paths.map { Access(path: $0, key: $0, traits: [.writes]) }
        _ = arbiter.apply(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: "1")), from: 1)
        let outcomes = [ClaimOutcome(access: 0, change: .changed), ClaimOutcome(access: 1, change: .changed)]
        let told = arbiter.apply(.release(claim: 1, outcomes: outcomes), from: 1).map(\.effect)
        #expect(told == paths.map { .notify(presenter: 9, .subitemChanged($0)) })
    }

    @Test func aMoveOfOneFileIsNotToldToThePresenterOfTheOther() async throws {
        let folder = try CoordinationFolder()
        let one = try folder.file(Self.composed)
        let other = try folder.file(Self.decomposed)
        try #require(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
        let record = Record()
        let presenters = [
            RecordingPresenter(one, record, name: "one"), RecordingPresenter(other, record, name: "other"),
        ]
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        await onThread {
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: one, options: .forMoving, writingItemAt: folder["moved"], options: .forReplacing,
                error: nil
            ) { source, destination in
                try? FileManager.default.moveItem(at: source, to: destination)
                // It is another file, so the claim does not wait for itself.
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: other, error: nil) { url in
                    record.add("writes \(Array(url.lastPathComponent.utf8).count)")
                }
            }
        }
        await eventually { record.contains("one moved to moved") && record.contains("other changed") }
        #expect(record.contains("writes 6"))
        #expect(!record.all.contains { $0.hasPrefix("other moved") } && !record.contains("one changed"))
        #expect(presenters[1].presentedItemURL == other)
    }
}
