import FileCoordination
import FileProvider
import FileTesting
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Copies in the document storage, where programs use them, and edits of these copies.
@Suite(.ownThreads) struct StorageCopyTests {
    private let folder: TestFolder
    private let own: TestFolder
    private let provider: LocalFolderExtension

    init() throws {
        (folder, own) = (try TestFolder(), try TestFolder())
        provider = LocalFolderExtension(serving: folder, own: own)
    }

    /// Provides the directory's only file at its place in the storage.
    private func provided() throws -> (NSFileProviderItemIdentifier, URL) {
        let item = try #require(try provider.list().first)
        let identifier = NSFileProviderItemIdentifier(item.identifier)
        let url = try #require(provider.urlForItem(withPersistentIdentifier: identifier))
        provide(url)
        return (identifier, url)
    }

    private func provide(_ url: URL) { provider.startProvidingItem(at: url) { #expect($0 == nil) } }

    private func edit(_ url: URL, _ bytes: [UInt8]) throws {
        try FileDescriptor.open(url.path, [.writeOnly]).overwrite(bytes, at: 0)
    }

    @Test func aCopyThatIsThereIsLeftAloneWhileItIsOfTheFoldersVersion() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        let first = try FileStatus.of(url.path).identity
        provide(url)
        #expect(try FileStatus.of(url.path).identity == first)
        try folder.descriptor.open("a", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        provide(url)
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
    }

    @Test func aCopyThatAProgramUsesIsNeitherReplacedNorRemoved() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        try folder.descriptor.open("a", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        let file = try FileStatus.of(url.path).identity
        var failure: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: &failure) { _ in
            // The provider is called on threads of its own.
            Thread.run {
                provide(url)
                provider.stopProvidingItem(at: url)
            }
            #expect((try? FileStatus.of(url.path).identity) == file)
        }
        #expect(failure == nil)
        provide(url)
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
    }

    @Test func anEditThatTheFolderDidNotTakeIsNotReplacedByTheFoldersFile() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        try edit(url, [7, 7])
        let away = folder.path + "-away"
        rename(folder.path, away)
        provider.itemChanged(at: url)
        rename(away, folder.path)
        provide(url)
        #expect(try Data(contentsOf: url) == Data([7, 7]))
    }

    @Test func anEditThatTheFolderDidNotTakeIsTriedAgainByItself() async throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        let away = folder.path + "-away"
        try edit(url, [7, 7])
        rename(folder.path, away)
        provider.itemChanged(at: url)
        rename(away, folder.path)
        try await eventually { try folder.content("a") == [7, 7] }
    }

    @Test func anUnreportedEditIsNotLost() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        try edit(url, [7, 7])
        provider.stopProvidingItem(at: url)
        #expect(try folder.content("a") == [7, 7])
    }

    @Test func anEditOfAnOlderCopyStaysBesideTheFoldersFile() throws {
        try folder.file("a.txt", [1])
        let (identifier, url) = try provided()
        try edit(url, [7, 7])
        try folder.descriptor.open("a.txt", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        provider.itemChanged(at: url)
        #expect(try folder.content("a.txt") == [1, 2, 3])
        let copy = try #require(try folder.names().first { $0.contains("conflicted copy") })
        #expect(try folder.content(copy) == [7, 7])
        #expect(ProviderItem(try provider.item(for: identifier)).flags.contains(.uploaded))
        provide(url)
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
    }

    @Test func anEditOfWhatWasRemovedMeanwhileIsMadeAgain() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        try edit(url, [7, 7])
        try retrying { unlinkat(folder.descriptor.rawValue, "a", 0) }
        provider.itemChanged(at: url)
        #expect(try folder.content("a") == [7, 7])
    }

    @Test func anEditOfAFileThatWasRenamedMeanwhileReachesIt() throws {
        try folder.file("a", [1])
        let (identifier, url) = try provided()
        provider.renameItem(withIdentifier: identifier, toName: "b") { _, error in #expect(error == nil) }
        try edit(url, [7, 7])
        provider.itemChanged(at: url)
        #expect(try folder.names() == ["b"])
        #expect(try folder.content("b") == [7, 7])
    }

    @Test func theSystemIsToldThatTheFolderHasTakenAnEdit() throws {
        try folder.file("a", [1])
        let (_, url) = try provided()
        try edit(url, [7, 7])
        let domains = LocalDomains()
        let signals = Lock<[NSFileProviderItemIdentifier]>([])
        let listener = domains.addListener { container, _ in signals.withLock { $0.append(container) } }
        NSFileProviderManager.$backendOfTask.withValue(domains) { provider.itemChanged(at: url) }
        domains.removeListener(listener)
        #expect(signals.withLock { $0 } == [.workingSet])
    }

    @Test func anUnreportedEditIsInTheFolderWhenTheItemIsRequested() throws {
        try folder.file("a", [1])
        let (identifier, url) = try provided()
        try edit(url, [7, 7])
        #expect(ProviderItem(try provider.item(for: identifier)).size == 2)
        #expect(try folder.content("a") == [7, 7])
    }

    @Test func anEditThatMetOthersIsNoVersionOfTheirs() throws {
        try folder.file("a.txt", [1])
        let (identifier, url) = try provided()
        try edit(url, [7, 7])
        try folder.descriptor.open("a.txt", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        provider.itemChanged(at: url)
        #expect(try folder.names().count == 2)
        // A client that asked for the item sees the version in the storage, not that in the directory.
        #expect(ProviderItem(try provider.item(for: identifier)).size == 2)
        provider.stopProvidingItem(at: url)
        #expect(ProviderItem(try provider.item(for: identifier)).size == 3)
        #expect(try folder.content("a.txt") == [1, 2, 3])
    }

    /// Replaces the file at a place by a new one, as a program does that saves.
    private func put(_ bytes: [UInt8], at url: URL) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let new = own.path + "/new"
        try Data(bytes).write(to: URL(fileURLWithPath: new))
        try retrying { rename(new, url.path) }
    }

    // MARK: More than one copy

    @Test func aCopyUnderAFormerNameIsNotTakenForAnEdit() throws {
        try folder.file("a", [1])
        let (identifier, former) = try provided()
        provider.renameItem(withIdentifier: identifier, toName: "b") { _, error in #expect(error == nil) }
        try folder.descriptor.open("b", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        provide(try #require(provider.urlForItem(withPersistentIdentifier: identifier)))
        provide(former)
        #expect(try folder.content("b") == [1, 2, 3])
        #expect(try Data(contentsOf: former) == Data([1, 2, 3]))
    }

    @Test func anEditUnderAFormerNameIsNotReplacedByACopyOfWhatWasBefore() throws {
        try folder.file("a", [1])
        let (identifier, former) = try provided()
        provider.renameItem(withIdentifier: identifier, toName: "b") { _, error in #expect(error == nil) }
        let url = try #require(provider.urlForItem(withPersistentIdentifier: identifier))
        provide(url)
        try edit(former, [7, 7])
        provider.itemChanged(at: former)
        provider.stopProvidingItem(at: url)
        #expect(try folder.names() == ["b"])
        #expect(try folder.content("b") == [7, 7])
    }

    // MARK: A restarted provider

    /// Provides the file in another provider and ends that provider, because a catalogue may be open only once at a
    /// time.
    private func providedBefore(_ body: (LocalFolderExtension, URL) throws -> Void) throws -> URL {
        let before = LocalFolderExtension(serving: folder, own: own)
        let item = try #require(try before.list().first)
        let url = try #require(
            before.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(item.identifier)))
        before.startProvidingItem(at: url) { #expect($0 == nil) }
        try body(before, url)
        return url
    }

    @Test func anUnreportedEditIsSentByTheNextProcess() async throws {
        try folder.file("a", [1])
        let url = try providedBefore { _, _ in }
        try edit(url, [7, 7])
        _ = try provider.list()
        try await eventually { try folder.content("a") == [7, 7] }
        #expect(try folder.names() == ["a"])
    }

    @Test func theNextProcessKnowsWhatACopyIsOf() throws {
        try folder.file("a.txt", [1])
        let url = try providedBefore { _, _ in }
        try edit(url, [7, 7])
        try folder.descriptor.open("a.txt", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        _ = try provider.list()
        provider.itemChanged(at: url)
        #expect(try folder.content("a.txt") == [1, 2, 3])
        let copy = try #require(try folder.names().first { $0.contains("conflicted copy") })
        #expect(try folder.content(copy) == [7, 7])
    }

    @Test func theNextProcessRemovesCopiesWithoutEdits() async throws {
        try folder.file("a.txt", [1])
        let url = try providedBefore { _, _ in }
        try folder.descriptor.open("a.txt", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        _ = try provider.list()
        try await eventually { !FileManager.default.fileExists(atPath: url.path) }
        #expect(try folder.names() == ["a.txt"])
        #expect(try folder.content("a.txt") == [1, 2, 3])
    }

    @Test func theNextProcessDoesNotRemoveWhatItIsAskedForMeanwhile() throws {
        try folder.file("a.txt", [1])
        for _ in 0..<100 {
            let url = try providedBefore { _, _ in }
            let next = LocalFolderExtension(serving: folder, own: own)
            // Lets the provider find the earlier copy, which it removes on another thread.
            _ = try next.list()
            next.startProvidingItem(at: url) { #expect($0 == nil) }
            #expect(FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test(arguments: ["a.txt", ".env"])
    func unknownFilesArePutAsideByTheNextProcess(_ name: String) async throws {
        try folder.file(name, [1])
        let url = try providedBefore { before, url in
            before.stopProvidingItem(at: url)
            try put([7, 7], at: url)
        }
        _ = try provider.list()
        try await eventually { try folder.names().contains { $0.contains("conflicted copy") } }
        #expect(try folder.content(name) == [1])
        let copy = try #require(try folder.names().first { $0.contains("conflicted copy") })
        #expect(try folder.content(copy) == [7, 7])
        // The provider notices a moment later that the edit has arrived.
        try await eventually {
            provide(url)
            return try Data(contentsOf: url) == Data([1])
        }
    }

    @Test(arguments: ["a.txt", ".env"])
    func temporaryFilesOfEditorsAreNoEdits(_ name: String) async throws {
        try folder.file(name, [1])
        let url = try providedBefore { _, url in
            try put([7, 7], at: url.deletingLastPathComponent().appendingPathComponent("." + name + ".swp"))
        }
        _ = try provider.list()
        try await eventually { !FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) }
        #expect(try folder.names() == [name])
        #expect(try folder.content(name) == [1])
    }

    @Test(arguments: [true, false], ["a.txt", ".env"])
    func unfinishedReplacementsAreNoEdits(isOverACopy: Bool, _ name: String) async throws {
        try folder.file(name, [1])
        let url = try providedBefore { before, url in
            if !isOverACopy { before.stopProvidingItem(at: url) }
            try put([7, 7], at: url)
            let mark = url.deletingLastPathComponent().appendingPathComponent(".purvey-replacing-" + name)
            try put([], at: mark)
            let file = try FileDescriptor.open(mark.path, [.writeOnly])
            try file.overwrite(try file.label(for: "replacing"), at: 0)
        }
        _ = try provider.list()
        try await eventually { !FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) }
        #expect(try folder.names() == [name])
        #expect(try folder.content(name) == [1])
    }

    @Test func anItemsFileIsNoMarkOfAnUnfinishedReplacement() async throws {
        try folder.file("a.txt", [1])
        _ = try providedBefore { before, url in
            before.stopProvidingItem(at: url)
            try put([7, 7], at: url)
            // The item's file under a former name of the item, which has the form of a marker file's name.
            try put([], at: url.deletingLastPathComponent().appendingPathComponent(".purvey-replacing-a.txt"))
        }
        _ = try provider.list()
        try await eventually { try folder.names().contains { $0.contains("conflicted copy") } }
        let copy = try #require(try folder.names().first { $0.contains("conflicted copy") })
        #expect(try folder.content(copy) == [7, 7])
    }

    @Test(arguments: [".purvey-notes", ".purvey-partial-0123456789abcdef", ".notes.icloud", ".dat.nosync1"])
    func anEditIsKeptWhateverItsNameWhenTheCatalogueIsLost(_ name: String) async throws {
        try folder.file(name, [1])
        try folder.file("other", [1])
        let (url, other): (URL, URL) = try {
            let before = LocalFolderExtension(serving: folder, own: own)
            let urls = try [name, "other"].map { name in
                let item = try #require(try before.list().first { $0.filename == name })
                let identifier = NSFileProviderItemIdentifier(item.identifier)
                let url = try #require(before.urlForItem(withPersistentIdentifier: identifier))
                before.startProvidingItem(at: url) { #expect($0 == nil) }
                return url
            }
            return (urls[0], urls[1])
        }()
        try put([7, 7], at: url)
        // The place of the other item contains only a marker file of the system.
        try FileManager.default.removeItem(at: other)
        let mark = try FileDescriptor.open(
            other.deletingLastPathComponent().path + "/.purvey-replacing-other", [.writeOnly, .create, .exclusive])
        try mark.overwrite(try mark.label(for: "replacing"), at: 0)
        let catalogues = try own.names().filter { $0.contains("catalogue") }
        #expect(!catalogues.isEmpty)
        for name in catalogues { try FileManager.default.removeItem(atPath: own.path + "/" + name) }
        _ = try provider.list()
        try await eventually { !FileManager.default.fileExists(atPath: other.deletingLastPathComponent().path) }
        #expect(try Data(contentsOf: url) == Data([7, 7]))
    }

    private func eventually(_ isTrue: () throws -> Bool) async throws {
        // Counts attempts rather than time, because a busy machine may run no task for long.
        for _ in 0..<60_000 {
            if try isTrue() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it did not become true")
    }
}

extension Thread {
    /// Runs a function on another thread and waits for it. The thread releases the function when it has ended.
    fileprivate static func run(_ body: @escaping () -> Void) {
        let work = Work(body: body)
        let end = DispatchSemaphore(value: 0)
        detachNewThread {
            work.body()
            end.signal()
        }
        end.wait()
    }

    /// Sendable: it is called while the thread that made it waits.
    private struct Work: @unchecked Sendable { let body: () -> Void }
}
