import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct BadInputTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func provider(file url: URL, _ type: UTType = .plainText, inPlace: Bool = false) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: type, openInPlace: inPlace) { completion in
            completion(url, false, nil)
            return nil
        }
        return provider
    }

    @Test func aTypeThatIsNotOfferedIsUnavailableAndTheErrorNamesBoth() async throws {
        let provider = provider(file: try scratch.file("a.txt"))
        let (data, failure) = await provider.data("public.png")
        let error = try #require(failure)
        #expect(data == nil)
        #expect(error.isItemUnavailable)
        #expect(error.localizedDescription.contains("public.png"))
        #expect(error.localizedFailureReason?.contains("public.plain-text") == true)
        #expect(await provider.copy("public.png").error?.isItemUnavailable == true)
        #expect(await provider.original("public.png").error?.isItemUnavailable == true)
        #expect(await NSItemProvider().data("public.data").error?.isItemUnavailable == true)
    }

    @Test func aHandlersErrorIsTheCauseOfTheLoads() async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { completion in
            completion(nil, CocoaError(.fileReadCorruptFile))
            return nil
        }
        let error = try #require(await provider.data("public.png").error)
        #expect(error.isItemUnavailable)
        #expect(error.underlying?.code == CocoaError.fileReadCorruptFile.rawValue)
    }

    @Test func aHandlerThatCallsBackTwiceIsHeardOnce() async throws {
        let calls = Mutex<[Data?]>([])
        let provider = NSItemProvider()
        let first = Mutex(true)
        provider.registerDataRepresentation(for: .png) { completion in
            if first.withLock({ $0 }) {
                completion(Data("one".utf8), nil)
                completion(Data("two".utf8), nil)
                completion(nil, CocoaError(.fileReadUnknown))
            }
            return nil
        }
        _ = provider.loadDataRepresentation(for: .png) { data, _ in calls.withLock { $0.append(data) } }
        try await until { !calls.withLock { $0.isEmpty } }
        try await Task.sleep(for: .milliseconds(50))
        #expect(calls.withLock { $0 } == [Data("one".utf8)])
    }

    @Test func aHandlerThatNeverCallsBackLeavesTheLoadCancellable() async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { _ in nil }
        let outcome = Mutex<NSError?>(nil)
        let progress = provider.loadDataRepresentation(for: .png) { _, error in
            outcome.withLock { $0 = error as NSError? }
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(outcome.withLock { $0 } == nil)
        #expect(!progress.isFinished)
        progress.cancel()
        try await until { outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0?.isCancellation } == true)
    }

    @Test func aHandlerThatBlocksDelaysOnlyItself() async throws {
        let gate = DispatchSemaphore(value: 0)
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { completion in
            gate.wait()
            completion(Data(), nil)
            return nil
        }
        provider.registerDataRepresentation(for: .jpeg) { completion in
            completion(Data("quick".utf8), nil)
            return nil
        }
        let blocked = Mutex(0)
        for _ in 0..<100 {
            _ = provider.loadDataRepresentation(for: .png) { _, _ in blocked.withLock { $0 += 1 } }
        }
        #expect(await provider.data("public.jpeg").data == Data("quick".utf8))
        #expect(blocked.withLock { $0 } == 0)
        for _ in 0..<100 { gate.signal() }
        try await until { blocked.withLock { $0 } == 100 }
    }

    @Test func neitherValueNorErrorIsAnErrorOfItsOwn() async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { completion in
            completion(nil, nil)
            return nil
        }
        provider.registerFileRepresentation(for: .pdf) { completion in
            completion(nil, false, nil)
            return nil
        }
        for type in ["public.png", "com.adobe.pdf"] {
            let error = try #require(await provider.data(type).error)
            #expect(error.isItemUnavailable)
            #expect(error.underlying?.code == NSItemProvider.ErrorCode.unknownError.rawValue)
        }
    }

    @Test func aFileThatVanishedIsNamedInTheError() async throws {
        let file = try scratch.file("gone.txt")
        let provider = provider(file: file)
        try FileManager.default.removeItem(at: file)
        let error = try #require(await provider.copy("public.plain-text").error)
        #expect(error.isItemUnavailable)
        #expect(error.localizedFailureReason?.contains(file.path) == true)
    }

    @Test func aFileMayBeDeletedAsSoonAsItWasHandedOver() async throws {
        let file = try scratch.file("temporary.txt")
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: .plainText) { completion in
            completion(file, false, nil)
            try? FileManager.default.removeItem(at: file)
            return nil
        }
        #expect(await provider.copy("public.plain-text").contents == Data("contents".utf8))
    }

    @Test func aDirectoryMayBeDeletedAsSoonAsItWasHandedOver() async throws {
        let root = try scratch.tree()
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: .folder) { completion in
            completion(root, false, nil)
            try? FileManager.default.removeItem(at: root)
            return nil
        }
        #expect(await provider.copy("public.folder").names.count == 4)
    }

    @Test func aPipeIsRefusedAndDoesNotBlock() async throws {
        let pipe = scratch.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let error = try #require(await provider(file: pipe).data("public.plain-text").error)
        #expect(error.localizedFailureReason?.contains("neither a regular file nor a directory") == true)
    }

    @Test func aWebURLIsNotAFile() async throws {
        let address = try #require(URL(string: "https://example.org/a.txt"))
        let error = try #require(await provider(file: address).copy("public.plain-text").error)
        #expect(error.isItemUnavailable)
    }

    @Test func anEmptyFileAndEmptyDataArriveEmpty() async throws {
        let provider = provider(file: try scratch.file("empty.txt", Data()))
        #expect(await provider.data("public.plain-text").data == Data())
        #expect(await provider.copy("public.plain-text").contents == Data())
        let other = NSItemProvider()
        other.registerDataRepresentation(for: .plainText) { completion in
            completion(Data(), nil)
            return nil
        }
        #expect(await other.copy("public.plain-text").contents == Data())
    }

    @Test func aFileReplacedBehindItsPathIsNotOpenedInPlace() async throws {
        let file = try scratch.file("a.txt", "old")
        let replacement = try scratch.file("b.txt", "new")
        let provider = NSItemProvider()
        provider.register(
            Representation(typeIdentifier: "public.plain-text", visibility: .all, fileOptions: .openInPlace) {
                _, completion in
                completion(
                    Result {
                        let supplied = try SuppliedFile(url: file, isOfferedInPlace: true, isCoordinated: false)
                        #expect(rename(replacement.path, file.path) == 0)
                        return .file(supplied)
                    })
                return nil
            })
        let arrived = await provider.original("public.plain-text")
        #expect(!arrived.isInPlace)
        #expect(arrived.contents == Data("old".utf8))
    }

    @Test func aThousandLoadsAtOnceAllArrive() async throws {
        let file = try scratch.file("a.txt")
        let provider = provider(file: file)
        provider.registerDataRepresentation(for: .png) { completion in
            completion(Data("png".utf8), nil)
            return nil
        }
        let arrived = Mutex(0)
        for index in 0..<1000 {
            if index.isMultiple(of: 2) {
                _ = provider.loadDataRepresentation(for: .png) { data, _ in
                    if data == Data("png".utf8) { arrived.withLock { $0 += 1 } }
                }
            } else {
                _ = provider.loadFileRepresentation(for: .plainText) { url, _, _ in
                    let contents = url.flatMap { try? Data(contentsOf: $0) }
                    if contents == Data("contents".utf8) { arrived.withLock { $0 += 1 } }
                }
            }
        }
        try await until { arrived.withLock { $0 } == 1000 }
    }
}
