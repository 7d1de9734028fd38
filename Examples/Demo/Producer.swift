import Exchange
import Foundation
import ItemProvider
import Synchronization
import UniformTypeIdentifiers

/// The providing side. It prepares nothing: each load handler starts its work when it is called.
final class Producer: Sendable {
    private let examples: URL
    /// The number of calls of load handlers.
    private let runs = Mutex(0)

    init(examples: URL) {
        self.examples = examples
    }

    /// Offers every promise, then waits until the parent dismisses this side.
    func run() async throws {
        var offers: [Offer] = []
        for promise in Promise.all {
            offers.append(try await Demonstration.board.offer(itemProvider(for: promise)))
        }
        try ChildReport.promised(handlerRuns: runs.withLock { $0 }).send()
        await Role.dismissal()
        for offer in offers { await offer.withdraw() }
        try ChildReport.withdrawn(handlerRuns: runs.withLock { $0 }).send()
    }

    private func itemProvider(for promise: Promise) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.suggestedName = promise.name
        for representation in promise.representations {
            let type = UTType(importedAs: representation.type)
            switch representation.form {
            case .data:
                provider.registerDataRepresentation(for: type) { [self] completion in
                    runs.withLock { $0 += 1 }
                    return provideData(of: representation.source, completion)
                }
            case .copy, .inPlace:
                let openInPlace = representation.form == .inPlace
                provider.registerFileRepresentation(for: type, openInPlace: openInPlace) { [self] completion in
                    runs.withLock { $0 += 1 }
                    completion(url(of: representation.source), false, nil)
                    return nil
                }
            }
        }
        return provider
    }

    /// Reads a file, or generates noise on another thread. The progress follows the work, and cancelling the progress
    /// stops it.
    private func provideData(
        of source: Promise.Source, _ completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        guard case .noise(let size) = source else {
            do {
                completion(try Data(contentsOf: url(of: source)), nil)
            } catch {
                completion(nil, error)
            }
            return nil
        }
        let progress = Progress(totalUnitCount: Int64(size))
        DispatchQueue.global().async {
            let data = Noise.make(size: size) { made in
                progress.completedUnitCount = Int64(made)
                return !progress.isCancelled
            }
            completion(data, data == nil ? CocoaError(.userCancelled) : nil)
        }
        return progress
    }

    private func url(of source: Promise.Source) -> URL {
        switch source {
        case .file(let path): examples.appendingPathComponent(path)
        case .folder(let path): examples.appendingPathComponent(path, isDirectory: true)
        case .noise: examples
        }
    }
}
