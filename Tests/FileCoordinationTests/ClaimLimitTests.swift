import FileCoordination
import Foundation
import Glibc
import TestThreads
import Testing

/// A claim over the limits is refused before it is sent, with a daemon or without one.
@Suite(.ownThreads) struct ClaimLimitTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    private func expectRefusal(of urls: [URL], purpose: String? = nil, saying words: String) {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        if let purpose { coordinator.purposeIdentifier = purpose }
        var error: NSError?
        coordinator.prepare(forReadingItemsAt: urls, writingItemsAt: [], error: &error) { _ in
            Issue.record("the accessor ran")
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.localizedDescription.contains(words) == true, "\(String(describing: error))")
    }

    @Test func aPurposeHasOnlySoManyBytes() throws {
        let file = try folder.file("a.txt")
        expectRefusal(of: [file], purpose: String(repeating: "é", count: 501), saying: "purposeIdentifier")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.purposeIdentifier = String(repeating: "é", count: 500)
        var ran = false
        coordinator.coordinate(writingItemAt: file, error: nil) { _ in ran = true }
        #expect(ran)
    }

    @Test func aClaimHasOnlySoManyItems() {
        let urls = (0...10_000).map { folder["\($0)"] }
        expectRefusal(of: urls, saying: "at most 10000 items")
        var ran = false
        NSFileCoordinator(filePresenter: nil).prepare(
            forReadingItemsAt: Array(urls.dropLast()), writingItemsAt: [], error: nil
        ) { _ in ran = true }
        #expect(ran)
    }

    @Test func theItemsOfAClaimHaveOnlySoMuchPath() {
        let deep = Array(repeating: String(repeating: "d", count: 200), count: 15).joined(separator: "/")
        expectRefusal(of: (0..<3_000).map { folder["\(deep)/\($0)"] }, saying: "bytes together")
    }

    @Test func aPathThatNothingTakesIsAnError() throws {
        let name = String(repeating: "d", count: 200)
        var deep = folder.url
        for _ in 0..<14 { deep.appendPathComponent(name) }
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: folder["link"], withDestinationURL: deep)
        let url = folder["link/" + Array(repeating: name, count: 9).joined(separator: "/")]
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: &error) { _ in
            Issue.record("the accessor ran")
        }
        #expect(error?.code == CocoaError.fileReadInvalidFileName.rawValue)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENAMETOOLONG))
    }

    @Test func aPresentersErrorIsCutToWhatAMessageCanHave() async throws {
        let file = try folder.file("a.txt")
        let presenter = RecordingPresenter(file, Record()) {
            NSError(
                domain: "d", code: 5, userInfo: [NSLocalizedDescriptionKey: String(repeating: "é", count: 9_000_000)])
        }
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let error = await onThread {
            var error: NSError?
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: file, error: &error) { _ in }
            return error
        }
        #expect(error?.domain == "d" && error?.code == 5)
        #expect(error?.localizedDescription == String(repeating: "é", count: 4_096))
    }
}
