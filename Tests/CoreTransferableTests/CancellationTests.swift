import CoreTransferable
import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

/// Cancellation of a program's closures, whether they observe it or not.
@Suite struct CancellationTests {
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

    /// The importer runs and does not return when its task is cancelled.
    @Test(.timeLimit(.minutes(10)), arguments: [Stubborn.data, Stubborn.file])
    func anImporterThatNeverReturnsIsCancelled(_ stubborn: Stubborn) async throws {
        let provider = NSItemProvider(item: Data("s".utf8) as NSData, typeIdentifier: stubborn.type.identifier)
        let hasBegun = AsyncStream.makeStream(of: String.self)
        Stubborn.begun.withLock { $0[stubborn.type] = { hasBegun.continuation.yield($0) } }
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
        var path = ""
        for await begun in hasBegun.stream {
            path = begun
            break
        }
        #expect(!progress.isFinished)
        progress.cancel()
        for await error in ended.stream {
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.userCancelled.rawValue)
            break
        }
        #expect(progress.isFinished)
        // The importer is released at the end, so that this test leaves nothing running.
        Stubborn.release(stubborn.type)
        while FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
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

    @Test(.timeLimit(.minutes(10)))
    func theFileOfACancelledImportIsThereUntilItsImporterEnds() async throws {
        let provider = NSItemProvider(item: Data("s".utf8) as NSData, typeIdentifier: UTType.pdf.identifier)
        let begun = AsyncStream.makeStream(of: String.self)
        let told = AsyncStream.makeStream(of: Bool.self)
        LatePDF.hooks.withLock { $0 = ({ begun.continuation.yield($0) }, { told.continuation.yield($0) }) }
        let ended = AsyncStream.makeStream(of: Bool.self)
        let progress = provider.loadTransferable(type: LatePDF.self) {
            ended.continuation.yield($0.failure is CocoaError)
        }
        var path = ""
        for await begun in begun.stream {
            path = begun
            break
        }
        progress.cancel()
        for await isCancellation in ended.stream {
            #expect(isCancellation)
            break
        }
        for await isThere in told.stream {
            #expect(isThere)
            break
        }
        while FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// Importers that do not return until they are released, even if their task is cancelled.
enum Stubborn: Sendable {
    case data
    case file

    static let begun = Mutex<[UTType: @Sendable (String) -> Void]>([:])
    private static let held = Mutex<[UTType: UnsafeContinuation<Void, Never>]>([:])

    var type: UTType {
        switch self {
        case .data: .bmp
        case .file: .tiff
        }
    }

    static func begin(_ type: UTType, path: String = "") async {
        await withUnsafeContinuation { continuation in
            held.withLock { $0[type] = continuation }
            begun.withLock { $0[type] }?(path)
        }
    }

    static func release(_ type: UTType) {
        held.withLock { $0.removeValue(forKey: type) }?.resume()
    }
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
        FileRepresentation(importedContentType: .tiff) { received in
            await Stubborn.begin(.tiff, path: received.file.path)
            return StubbornFile()
        }
    }
}

/// An importer that returns only after its task was cancelled.
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

/// An importer that checks, after its task was cancelled, whether its file still exists.
private struct LatePDF: Transferable {
    static let hooks = Mutex<(begun: @Sendable (String) -> Void, told: @Sendable (Bool) -> Void)?>(nil)

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .pdf) { received in
            let hooks = hooks.withLock { $0 }
            hooks?.begun(received.file.path)
            try? await Task.sleep(for: .seconds(3_600))
            hooks?.told(FileManager.default.fileExists(atPath: received.file.path))
            return LatePDF()
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
