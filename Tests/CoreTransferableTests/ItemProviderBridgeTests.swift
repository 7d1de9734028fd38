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
}
