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

    /// The original is offered only if the representation and the sent file both permit it and the importer requests
    /// it.
    @Test(arguments: [true, false], [(true, true), (true, false), (false, true), (false, false)])
    func anOriginalTakesAllThree(_ asks: Bool, _ allowed: (representation: Bool, file: Bool)) async throws {
        let url = folder.appendingPathComponent("a.mov")
        try Data("m".utf8).write(to: url)
        let provider = NSItemProvider()
        if allowed.representation {
            provider.register(Open(url: url, allowsOriginal: allowed.file))
        } else {
            provider.register(Closed(url: url, allowsOriginal: allowed.file))
        }
        let isOriginal =
            if asks {
                try await provider.transferable(Asking.self).isOriginal
            } else {
                try await provider.transferable(Modest.self).isOriginal
            }
        #expect(isOriginal == (asks && allowed.representation && allowed.file))
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    private struct Open: Transferable {
        var url: URL
        var allowsOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(exportedContentType: .movie, shouldAllowToOpenInPlace: true) {
                SentTransferredFile($0.url, allowAccessingOriginalFile: $0.allowsOriginal)
            }
        }
    }

    private struct Closed: Transferable {
        var url: URL
        var allowsOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(exportedContentType: .movie) {
                SentTransferredFile($0.url, allowAccessingOriginalFile: $0.allowsOriginal)
            }
        }
    }

    private struct Asking: Transferable {
        var isOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(importedContentType: .movie, shouldAttemptToOpenInPlace: true) {
                Asking(isOriginal: $0.isOriginalFile)
            }
        }
    }

    private struct Modest: Transferable {
        var isOriginal: Bool
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(importedContentType: .movie) { Modest(isOriginal: $0.isOriginalFile) }
        }
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

    @Test func aFailedImportIsAnError() async {
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
        // Representations without a condition remain available.
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
        // The next matching representation is used instead.
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
        // If the name is already set, no value is needed for it either.
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
