import DragAndDrop
import Foundation
import ItemProvider
import Synchronization
import Testing

private struct Refusal: Error {}

/// The ways in which a delegate handles its promise.
enum Behaviour {
    case write, writeFolder, fail, claim, drop, keep
}

/// A delegate that writes the promised file, or misbehaves.
private final class Writer: NSObject, NSFilePromiseProviderDelegate {
    let name: String
    let behaviour: Behaviour
    let calls = Calls()
    let queue = OperationQueue()
    private let kept = Mutex<[Kept]>([])

    /// Sendable because the handler is never called.
    private struct Kept: @unchecked Sendable {
        let completionHandler: ((any Error)?) -> Void
    }

    init(_ name: String, _ behaviour: Behaviour = .write) {
        self.name = name
        self.behaviour = behaviour
    }

    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String {
        MainActor.assumeIsolated {}
        calls.add("name \(fileType)")
        return name
    }

    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        calls.add("write \(url.lastPathComponent) \(OperationQueue.current === queue)")
        do {
            switch behaviour {
            case .write: try Data("promised \(filePromiseProvider.userInfo ?? "")".utf8).write(to: url)
            case .writeFolder:
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                try Data("leaf".utf8).write(to: url.appendingPathComponent("leaf"))
            case .fail: return completionHandler(Refusal())
            case .claim: break
            case .drop: return
            case .keep: return kept.withLock { $0.append(Kept(completionHandler: completionHandler)) }
            }
            completionHandler(nil)
            completionHandler(Refusal())
        } catch {
            completionHandler(error)
        }
    }

    func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue { queue }
}

/// A delegate that writes on the main queue, because it names no operation queue.
private final class AsyncWriter: NSObject, NSFilePromiseProviderDelegate {
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String { "async.txt" }

    func filePromiseProvider(_ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL) async throws {
        await Task.yield()
        try Data("async".utf8).write(to: url)
    }
}

/// A delegate that does not implement writing.
private final class Idler: NSObject, NSFilePromiseProviderDelegate {
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String { "never.txt" }
}

/// A promise that offers another type as well.
private final class LabelledPromise: NSFilePromiseProvider {
    override func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        super.writableTypes(for: pasteboard) + [.string]
    }

    override func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        type == .string ? "label" : super.pasteboardPropertyList(forType: type)
    }
}

@Suite struct FilePromiseTests {
    private let queue = OperationQueue()

    /// Returns the result that the reader receives for each file: its name, or that an error occurred.
    private func receive(_ pasteboard: NSPasteboard, into folder: URL) async throws -> [String] {
        let queue = queue
        let receivers = try await blocking {
            try #require(pasteboard.readObjects(forClasses: [NSFilePromiseReceiver.self])).count
        }
        let told = Calls()
        try await blocking {
            let read = pasteboard.readObjects(forClasses: [NSFilePromiseReceiver.self]) as? [NSFilePromiseReceiver]
            for receiver in read ?? [] {
                #expect(receiver.fileNames.isEmpty)
                receiver.receivePromisedFiles(atDestination: folder, operationQueue: queue) { url, error in
                    #expect(OperationQueue.current === queue)
                    #expect(receiver.fileNames == (error == nil ? [url.lastPathComponent] : []))
                    told.add(error == nil ? url.lastPathComponent : "failed")
                }
            }
        }
        #expect(await eventually { told.all.count >= receivers })
        return told.all.sorted()
    }

    private func promise(_ delegate: any NSFilePromiseProviderDelegate, on pasteboard: NSPasteboard) {
        let provider = NSFilePromiseProvider(fileType: "public.plain-text", delegate: delegate)
        provider.userInfo = "text"
        pasteboard.clearContents()
        #expect(pasteboard.writeObjects([provider]))
    }

    @Test func aPromisedFileIsWrittenWhereItIsWanted() async throws {
        let programs = Programs()
        let writer = Writer("note.txt")
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        #expect(writer.calls.all == [])
        #expect(try await receive(programs.writer, into: folder.url) == ["note.txt"])
        #expect(writer.calls.all == ["name public.plain-text", "write note.txt true"])
        // Received from the other process's pasteboard.
        #expect(try await receive(programs.reader, into: folder.url) == ["note 2.txt"])
        #expect(try await receive(programs.writer, into: folder.url) == ["note 3.txt"])
        #expect(folder.names == ["note 2.txt", "note 3.txt", "note.txt"])
        for name in folder.names {
            #expect(try Data(contentsOf: folder.url.appendingPathComponent(name)) == Data("promised text".utf8))
        }
        // The same promise, received as an item.
        let boards = programs.boards
        let text = try await blocking {
            UIPasteboard(.general, boards).data(forPasteboardType: "public.plain-text")
        }
        #expect(text == Data("promised text".utf8))
        try await blocking {
            for pasteboard in [programs.writer, programs.reader] {
                let type = NSPasteboard.PasteboardType("public.plain-text")
                #expect(pasteboard.types?.contains(type) == true)
                #expect(pasteboard.data(forType: type) == Data("promised text".utf8))
            }
        }
    }

    @Test func promisesTellWhichFileThereIs() async throws {
        let programs = Programs()
        let writer = Writer("note.txt")
        let provider = LabelledPromise(fileType: "public.plain-text", delegate: writer)
        #expect(provider.fileType == "public.plain-text" && provider.delegate === writer && provider.userInfo == nil)
        #expect(provider.writingOptions(forType: .string, pasteboard: programs.writer) == [])
        programs.writer.clearContents()
        #expect(programs.writer.writeObjects([provider]))
        #expect(!programs.writer.writeObjects([NSFilePromiseProvider()]))
        try await blocking {
            #expect(programs.reader.string(forType: .string) == "label")
            let read = try #require(
                programs.reader.readObjects(forClasses: [NSFilePromiseReceiver.self, NSString.self]))
            let receiver = try #require(read.first as? NSFilePromiseReceiver)
            #expect(receiver.fileTypes == ["public.plain-text"] && read.count == 1)
            let types = NSFilePromiseReceiver.readableDraggedTypes
            #expect(programs.reader.canReadItem(withDataConformingToTypes: types))
            #expect(NSFilePromiseReceiver.readableTypes(for: programs.reader).map(\.rawValue) == types)
            #expect(
                NSFilePromiseReceiver.readingOptions(forType: .init(types[0]), pasteboard: programs.reader)
                    == .asString)
            #expect(NSFilePromiseReceiver(pasteboardPropertyList: 7, ofType: .init(types[0])) == nil)
        }
        withExtendedLifetime(writer) {}
    }

    @Test func namesAreNamesOfFiles() async throws {
        for name in ["../../escape.txt", "/etc/a.txt", "..", "", "a\0b.txt", String(repeating: "n", count: 999)] {
            let programs = Programs()
            let writer = Writer(name)
            promise(writer, on: programs.writer)
            let folder = try TestFolder()
            for pasteboard in [programs.writer, programs.reader] {
                let told = try await receive(pasteboard, into: folder.url)
                #expect(told.count == 1 && told != ["failed"])
            }
            #expect(folder.names.count == 2)
        }
    }

    @Test(arguments: [Behaviour.fail, .claim, .drop]) func aDelegateThatFailsIsAnError(
        _ behaviour: Behaviour
    ) async throws {
        let programs = Programs()
        let writer = Writer("note.txt", behaviour)
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        #expect(try await receive(programs.writer, into: folder.url) == ["failed"])
        #expect(try await receive(programs.reader, into: folder.url) == ["failed"])
        #expect(folder.names == [])
    }

    @Test func aDelegateThatNeverCallsBackIsAnError() async throws {
        let programs = Programs(patienceForFiles: .milliseconds(100))
        let writer = Writer("note.txt", .keep)
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        #expect(try await receive(programs.writer, into: folder.url) == ["failed"])
        #expect(try await receive(programs.reader, into: folder.url) == ["failed"])
        withExtendedLifetime(writer) {}
    }

    @Test func aDelegateThatHasGoneIsAnError() async throws {
        let programs = Programs()
        do { promise(Writer("note.txt"), on: programs.writer) }
        let folder = try TestFolder()
        #expect(try await receive(programs.writer, into: folder.url) == ["failed"])
        #expect(try await receive(programs.reader, into: folder.url) == ["failed"])
    }

    @Test func aPlaceThatIsNoFolderIsAnError() async throws {
        let programs = Programs()
        let writer = Writer("note.txt")
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let page = try #require(URL(string: "https://example.org/"))
        for place in [file, folder.url.appendingPathComponent("nowhere"), page] {
            #expect(try await receive(programs.writer, into: place) == ["failed"])
            #expect(try await receive(programs.reader, into: place) == ["failed"])
        }
        #expect(writer.calls.all == [])
    }

    @Test func aPromiseThatWasNotMadeIsAnError() async throws {
        let receiver = try #require(
            NSFilePromiseReceiver(pasteboardPropertyList: "public.plain-text", ofType: .string))
        let folder = try TestFolder()
        let told = Calls()
        receiver.receivePromisedFiles(atDestination: folder.url, operationQueue: queue) { _, error in
            told.add(error == nil ? "came" : "failed")
        }
        #expect(await eventually { told.all == ["failed"] })
        // An item that only has the type of a promise.
        let programs = Programs()
        programs.writer.clearContents()
        programs.writer.setString(
            "public.movie", forType: .init(NSFilePromiseReceiver.readableDraggedTypes[0]))
        #expect(try await receive(programs.writer, into: folder.url) == ["failed"])
        #expect(try await receive(programs.reader, into: folder.url) == ["failed"])
    }

    @Test func foldersArePromisedToo() async throws {
        let programs = Programs()
        let writer = Writer("tree", .writeFolder)
        let provider = NSFilePromiseProvider(fileType: "public.folder", delegate: writer)
        programs.writer.clearContents()
        #expect(programs.writer.writeObjects([provider]))
        let folder = try TestFolder()
        #expect(try await receive(programs.writer, into: folder.url) == ["tree"])
        #expect(try await receive(programs.reader, into: folder.url) == ["tree 2"])
        #expect(FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("tree 2/leaf").path))
    }

    @Test func delegatesWriteInAsyncCode() async throws {
        let programs = Programs()
        let (writer, idler) = (AsyncWriter(), Idler())
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        #expect(try await receive(programs.writer, into: folder.url) == ["async.txt"])
        #expect(try await receive(programs.reader, into: folder.url) == ["async 2.txt"])
        #expect(writer.operationQueue(for: NSFilePromiseProvider()) === OperationQueue.main)
        promise(idler, on: programs.writer)
        #expect(try await receive(programs.writer, into: folder.url) == ["failed"])
        withExtendedLifetime((writer, idler)) {}
    }

    @MainActor @Test func theMainThreadReceivesFromItself() async throws {
        let programs = Programs()
        let writer = AsyncWriter()
        promise(writer, on: programs.writer)
        let folder = try TestFolder()
        let told = Calls()
        for pasteboard in [programs.writer, programs.reader] {
            let read = pasteboard.readObjects(forClasses: [NSFilePromiseReceiver.self])
            let receiver = try #require(read?.first as? NSFilePromiseReceiver)
            receiver.receivePromisedFiles(atDestination: folder.url, operationQueue: queue) { url, error in
                told.add(error == nil ? url.lastPathComponent : "failed")
            }
        }
        #expect(await eventually { told.all.sorted() == ["async 2.txt", "async.txt"] })
        withExtendedLifetime(writer) {}
    }
}
