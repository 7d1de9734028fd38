import CoreTransferable
import Dispatch
import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite final class ItemProviderBridgeTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func aProviderOffersWhatTheValueExports() async throws {
        let provider = NSItemProvider()
        provider.register(Profile(text: "x"))
        #expect(provider.registeredTypeIdentifiers == ["com.example.profile", "public.utf8-plain-text"])
        #expect(try await provider.loadDataRepresentation(for: .profile) == Data(#"{"text":"x"}"#.utf8))
        #expect(try await provider.transferable(Profile.self) == Profile(text: "x"))
        #expect(try await provider.transferable(Note.self) == Note(text: "x"))
        #expect(try await provider.loadObject(ofClass: String.self) == "x")
    }

    @Test func theValueIsMadeWhenItIsLoaded() async throws {
        let made = Mutex(0)
        let provider = NSItemProvider()
        provider.register(
            {
                made.withLock { $0 += 1 }
                return Profile(text: "x")
            }())
        #expect(made.withLock { $0 } == 0)
        _ = try await provider.transferable(Profile.self)
        _ = try await provider.transferable(Profile.self)
        #expect(made.withLock { $0 } == 2)
    }

    @Test func conditionsNamesAndVisibilityArePassedOn() async throws {
        let open = NSItemProvider()
        open.register(Report(title: "T"))
        #expect(open.registeredTypeIdentifiers.first == "public.html")
        #expect(open.suggestedName == "T.html")
        let secret = NSItemProvider()
        secret.register(Report(title: "T", isSecret: true))
        #expect(secret.registeredTypeIdentifiers == ["com.adobe.pdf", "public.plain-text", "public.json"])
        let picture = NSItemProvider()
        picture.register(Picture(bytes: Data()))
        #expect(picture.suggestedName == "Picture")
        #expect(picture.representations.map(\.visibility) == [.all, .ownProcess])
    }

    @Test func theOriginalArrivesWhereBothSidesAllowIt() async throws {
        let url = folder.appendingPathComponent("a.mov")
        try Data("m".utf8).write(to: url)
        let provider = NSItemProvider()
        provider.register(Movie(url: url))
        #expect(provider.registeredContentTypesForOpenInPlace == [.movie])
        let movie = try await provider.transferable(Movie.self)
        #expect(movie.wasOriginal)
        #expect(movie.url.path == url.path)

        struct Guarded: Transferable {
            var url: URL
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(exportedContentType: .movie, shouldAllowToOpenInPlace: true) {
                    SentTransferredFile($0.url, allowAccessingOriginalFile: false)
                }
            }
        }
        let guarded = NSItemProvider()
        guarded.register(Guarded(url: url))
        let copy = try await guarded.transferable(Movie.self)
        #expect(!copy.wasOriginal)
        #expect(copy.url.path != url.path)
        try FileManager.default.removeItem(at: copy.url)
    }

    @Test func progressIsFinishedWhenTheCompletionRuns() async throws {
        let provider = NSItemProvider()
        provider.register(Profile(text: "x"))
        let progress = Mutex<Progress?>(nil)
        let isKnown = DispatchSemaphore(value: 0)
        let isFinished = await withCheckedContinuation { continuation in
            let started = provider.loadTransferable(type: Profile.self) { _ in
                isKnown.wait()
                continuation.resume(returning: progress.withLock { $0?.isFinished })
            }
            progress.withLock { $0 = started }
            isKnown.signal()
        }
        #expect(isFinished == true)
    }

    @Test func anExporterThatNeverEndsIsCancelled() async throws {
        struct Endless: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Endless) in
                    try await Task.sleep(for: .seconds(3_600))
                    return Data()
                }
            }
        }
        let provider = NSItemProvider()
        provider.register(Endless())
        let error = await withCheckedContinuation { continuation in
            let progress = provider.loadTransferable(type: Picture.self) { result in
                switch result {
                case .success: continuation.resume(returning: nil as NSError?)
                case .failure(let error): continuation.resume(returning: error as NSError)
                }
            }
            progress.cancel()
        }
        #expect(error?.code == CocoaError.userCancelled.rawValue)
    }

    @Test func whatCannotBeImportedIsAnError() async {
        let provider = NSItemProvider(object: "text" as NSString)
        do {
            _ = try await provider.transferable(Picture.self)
            Issue.record("it was imported")
        } catch {
            #expect("\(error)" == "Picture cannot be made from public.utf8-plain-text")
        }
        let empty = NSItemProvider(item: NSData(), typeIdentifier: "public.png")
        await #expect(throws: CocoaError.self) { try await empty.transferable(Picture.self) }
    }

    /// The importer runs, and nothing in the world will make it return.
    @Test(arguments: [Stubborn.data, Stubborn.file])
    func anImporterThatNeverReturnsIsCancelled(_ stubborn: Stubborn) async throws {
        let provider = NSItemProvider(item: Data("s".utf8) as NSData, typeIdentifier: stubborn.type.identifier)
        let hasBegun = AsyncStream.makeStream(of: Void.self)
        Stubborn.begun.withLock { $0[stubborn.type] = { hasBegun.continuation.yield() } }
        let ended = AsyncStream.makeStream(of: NSError?.self)
        let progress =
            switch stubborn {
            case .data:
                provider.loadTransferable(type: StubbornData.self) { result in
                    ended.continuation.yield(result.failure as NSError?)
                }
            case .file:
                provider.loadTransferable(type: StubbornFile.self) { result in
                    ended.continuation.yield(result.failure as NSError?)
                }
            }
        for await _ in hasBegun.stream { break }
        #expect(!progress.isFinished)
        progress.cancel()
        for await error in ended.stream {
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.userCancelled.rawValue)
            break
        }
        #expect(progress.isFinished)
    }

    @Test func anImporterIsToldThatItIsCancelledAndItsLateValueIsDropped() async throws {
        let provider = NSItemProvider(item: Data("s".utf8) as NSData, typeIdentifier: UTType.gif.identifier)
        let begun = AsyncStream.makeStream(of: Void.self)
        let told = AsyncStream.makeStream(of: Void.self)
        LateGIF.hooks.withLock { $0 = ({ begun.continuation.yield() }, { told.continuation.yield() }) }
        let calls = Mutex(0)
        let ended = AsyncStream.makeStream(of: Bool.self)
        let progress = provider.loadTransferable(type: LateGIF.self) { result in
            calls.withLock { $0 += 1 }
            ended.continuation.yield(result.failure is CocoaError)
        }
        for await _ in begun.stream { break }
        progress.cancel()
        for await _ in told.stream { break }
        for await isCancellation in ended.stream {
            #expect(isCancellation)
            break
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func aConditionIsAskedAgainWhenTheValueIsLoaded() async throws {
        let isSecret = Mutex(false)
        let provider = NSItemProvider()
        provider.register(Report(title: "T", isSecret: isSecret.withLock { $0 }))
        #expect(provider.registeredTypeIdentifiers.first == "public.html")
        #expect(try await provider.loadDataRepresentation(for: .html) == Data("<h1>T</h1>".utf8))
        isSecret.withLock { $0 = true }
        do {
            _ = try await provider.loadDataRepresentation(for: .html)
            Issue.record("what must not be exported was exported")
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey].map { "\($0)" } ?? ""
            #expect(cause.contains("condition"))
        }
        // Those without a condition are still there.
        #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("T".utf8))
    }

    @Test func aConditionBehindAProxyIsAskedWhateverKindOfProxy() async throws {
        struct Now: Transferable {
            var report: Report
            static var transferRepresentation: some TransferRepresentation { ProxyRepresentation(exporting: \.report) }
        }
        struct Later: Transferable {
            var report: Report
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation { (item: Later) async in item.report }
            }
        }
        let secret = Report(title: "T", isSecret: true)
        await #expect(throws: (any Error).self) { try await Now(report: secret).exported(as: .html) }
        await #expect(throws: (any Error).self) { try await Later(report: secret).exported(as: .html) }
        // The next that fits stands in.
        #expect(try await Later(report: secret).exported(as: .text) == Data("T".utf8))
        #expect(try await Later(report: Report(title: "T")).exported(as: .text) == Data("<h1>T</h1>".utf8))
        let provider = NSItemProvider()
        provider.register(Later(report: secret))
        await #expect(throws: (any Error).self) { try await provider.loadDataRepresentation(for: .html) }
    }

    @Test func aValueIsLoadedFromTheNextTypeWhenAConditionDoesNotHold() async throws {
        struct Bookmark: Transferable {
            var url: URL
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation { (item: Bookmark) async in item.url }
            }
        }
        let web = try #require(URL(string: "https://example.org"))
        let provider = NSItemProvider()
        provider.register(Bookmark(url: web))
        #expect(try await provider.transferable(URL.self) == web)
        #expect(try await Bookmark(url: web).exported(as: nil) == Data("https://example.org".utf8))
        let file = NSItemProvider()
        file.register(Bookmark(url: URL(fileURLWithPath: "/a")))
        #expect(try await file.transferable(URL.self) == URL(fileURLWithPath: "/a"))
    }

    @Test func aFixedNameDoesNotNeedTheValue() async throws {
        struct Fixed: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Fixed) in Data("p".utf8) }
                    .suggestedFileName("x")
                DataRepresentation(exportedContentType: .jpeg) { (_: Fixed) in Data("j".utf8) }
                    .suggestedFileName { _ in "y" }
            }
        }
        struct Proxied: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation { (_: Proxied) async in Fixed() }
            }
        }
        let made = Mutex(0)
        let provider = NSItemProvider()
        provider.register(
            {
                made.withLock { $0 += 1 }
                return Fixed()
            }())
        #expect(made.withLock { $0 } == 0)
        #expect(provider.suggestedName == "x")
        #expect(try await provider.loadDataRepresentation(for: .png) == Data("p".utf8))
        #expect(made.withLock { $0 } == 1)
        let proxied = NSItemProvider()
        proxied.register(
            {
                made.withLock { $0 += 1 }
                return Proxied()
            }())
        #expect(made.withLock { $0 } == 1)
        #expect(proxied.suggestedName == "x")
        // A name that is given already needs no value either.
        let named = NSItemProvider()
        named.suggestedName = "own"
        struct Called: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Called) in Data() }.suggestedFileName { _ in "z" }
            }
        }
        named.register(
            {
                made.withLock { $0 += 1 }
                return Called()
            }())
        #expect(made.withLock { $0 } == 1)
        #expect(named.suggestedName == "own")
    }
}

/// Importers that begin and never return, whatever happens to their task.
enum Stubborn: Sendable {
    case data
    case file

    static let begun = Mutex<[UTType: @Sendable () -> Void]>([:])

    var type: UTType {
        switch self {
        case .data: .bmp
        case .file: .tiff
        }
    }

    static func begin(_ type: UTType) async {
        begun.withLock { $0[type] }?()
        // The continuation is kept, so that nothing but the test's end resumes it.
        await withUnsafeContinuation { continuation in kept.withLock { $0.append(continuation) } }
    }

    private static let kept = Mutex<[UnsafeContinuation<Void, Never>]>([])
}

private struct StubbornData: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(importedContentType: .bmp) { _ in
            await Stubborn.begin(.bmp)
            return StubbornData()
        }
    }
}

private struct StubbornFile: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .tiff) { _ in
            await Stubborn.begin(.tiff)
            return StubbornFile()
        }
    }
}

/// Imports only once its task was cancelled.
private struct LateGIF: Transferable {
    static let hooks = Mutex<(begun: @Sendable () -> Void, told: @Sendable () -> Void)?>(nil)

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(importedContentType: .gif) { _ in
            let hooks = hooks.withLock { $0 }
            hooks?.begun()
            try? await Task.sleep(for: .seconds(3_600))
            hooks?.told()
            return LateGIF()
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
