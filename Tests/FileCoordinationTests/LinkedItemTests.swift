import FileCoordination
import Foundation
import TestThreads
import Testing

/// Items behind symbolic links.
@Suite(.ownThreads) struct LinkedItemTests {
    let folder: CoordinationFolder

    init() throws { folder = try CoordinationFolder() }

    @Test func aLinkIsUploadedWhileItsTargetIsNotWritten() async throws {
        let file = try folder.file("a.txt", "old")
        try FileManager.default.createSymbolicLink(at: folder["link.txt"], withDestinationURL: file)
        let presenter = RecordingPresenter(file, Record()) {
            Result { try Data("saved".utf8).write(to: file) }.failure
        }
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let link = folder["link.txt"]
        let (name, text) = await onThread {
            var result = ("", "")
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: link, options: .forUploading, error: nil) {
                result = ($0.lastPathComponent, (try? String(contentsOf: $0, encoding: .utf8)) ?? "")
            }
            return result
        }
        #expect(name == "link.txt")
        #expect(text == "saved")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
