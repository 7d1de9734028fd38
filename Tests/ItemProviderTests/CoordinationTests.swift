import FileCoordination
import Foundation
import Glibc
import ItemProvider
import Synchronization
import Testing

/// Files that are read with file coordination, because the provider requests it or continues to use them.
@Suite struct CoordinationTests {
    private let folder: URL
    private let file: URL

    init() throws {
        setenv("PURVEY_COORDINATION", "process", 1)
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        folder = temporary.appendingPathComponent("purvey-coordinated-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appendingPathComponent("a.txt")
        try Data("old".utf8).write(to: file)
    }

    private func provider(of url: URL, coordinated: Bool, inPlace: Bool) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(
            forTypeIdentifier: "public.data", fileOptions: inPlace ? .openInPlace : [], visibility: .all
        ) { completion in
            completion(url, coordinated, nil)
            return nil
        }
        return provider
    }

    private func load(_ provider: NSItemProvider) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            _ = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
                continuation.resume(with: Result { try data ?? { throw error ?? CocoaError(.fileReadUnknown) }() })
            }
        }
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func aPresenterSavesBeforeItsFileIsRead(coordinated: Bool, inPlace: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let presenter = SavingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let provider = provider(of: file, coordinated: coordinated, inPlace: inPlace)
        #expect(try await load(provider) == Data("saved".utf8))
    }

    @Test func aPresenterOfWhatALinkLeadsToSavesBeforeThatIsRead() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let presenter = SavingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        #expect(try await load(provider(of: link, coordinated: true, inPlace: false)) == Data("saved".utf8))
    }

    @Test func aFileThatIsNeitherIsReadAsItIs() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let presenter = SavingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        #expect(try await load(provider(of: file, coordinated: false, inPlace: false)) == Data("old".utf8))
    }

    @Test func aFolderIsZippedWhileItIsNotWritten() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let provider = provider(of: folder, coordinated: true, inPlace: false)
        let presenter = SavingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let archive = try await load(provider)
        #expect(archive.range(of: Data("saved".utf8)) != nil)
        #expect(try String(contentsOf: file, encoding: .utf8) == "saved")
    }

    @Test func aLoadThatWaitsForAWriterCanBeCancelled() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let mayEnd = DispatchSemaphore(value: 0)
        let file = file
        let provider = provider(of: file, coordinated: true, inPlace: false)
        await withCheckedContinuation { holding in
            Thread.detachNewThread {
                NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: file, error: nil) { _ in
                    holding.resume()
                    mayEnd.wait()
                }
            }
        }
        let error = await withCheckedContinuation { continuation in
            let progress = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, error in
                continuation.resume(returning: error)
            }
            progress.cancel()
        }
        #expect(error != nil)
        mayEnd.signal()
    }
}

/// A presenter that replaces its file when asked to save, as documents are saved.
private final class SavingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable: it is immutable.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL) { presentedItemURL = url }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let url = presentedItemURL else { return completionHandler(nil) }
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, options: .forReplacing, error: &failure) {
            try? Data("saved".utf8).write(to: $0, options: .atomic)
        }
        completionHandler(failure)
    }
}
