import Conduit
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Requests for thumbnails.
extension ProviderRuntime {
    func addThumbnails(to service: inout Service) {
        on(ProviderThumbnailsCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try Self.thumbnails(request, provider, engineRequest)
        }
    }

    private static func thumbnails(
        _ request: ProviderThumbnailsCall, _ provider: any ServedProvider, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderThumbnails {
        let collection = ThumbnailCollection(request.identifiers)
        let running = StoppableProgress()
        let failure: ProviderError?
        do throws(ProviderError) {
            failure = try engineRequest.wait { done in
                let progress = provider.fetchThumbnails(
                    for: request.identifiers.map { NSFileProviderItemIdentifier($0) },
                    requestedSize: CGSize(width: request.side, height: request.side),
                    perThumbnailCompletionHandler: { identifier, data, error in
                        let count = collection.take(identifier.rawValue, data, error)
                        engineRequest.advance(completed: Int64(count), total: Int64(request.identifiers.count))
                    },
                    completionHandler: { error in done(error.map { ProviderError($0) }) })
                running.begin(progress)
            }
        } catch {
            // The request is over, so the provider must stop.
            running.cancel()
            throw error
        }
        let thumbnails = collection.end()
        // Thumbnails that came before the failure are valid.
        if let failure, thumbnails.isEmpty { throw failure }
        return ProviderThumbnails(thumbnails: thumbnails)
    }
}

/// A collection of the first reply for each requested item, until the request ends.
private final class ThumbnailCollection: Sendable {
    private struct State {
        var awaited: Set<ExactText>
        var thumbnails: [ProviderThumbnail] = []
        var hasEnded = false
    }
    // Leaf lock: pictures are copied outside of it.
    private let state: Lock<State>

    init(_ identifiers: [String]) { state = Lock(State(awaited: Set(texts: identifiers))) }

    /// Adds a reply. Ignores a reply for an item that was not requested, or that has a reply already.
    ///
    /// - Returns: the number of replies so far.
    func take(_ identifier: String, _ data: Data?, _ error: (any Error)?) -> Int {
        let isFirst = state.withLock { $0.hasEnded ? false : $0.awaited.remove(identifier) }
        guard isFirst else { return state.withLock { $0.thumbnails.count } }
        let thumbnail = Self.thumbnail(identifier, data, error)
        return state.withLock { state in
            if !state.hasEnded { state.thumbnails.append(thumbnail) }
            return state.thumbnails.count
        }
    }

    func end() -> [ProviderThumbnail] {
        state.withLock { state in
            state.hasEnded = true
            return state.thumbnails
        }
    }

    private static func thumbnail(_ identifier: String, _ data: Data?, _ error: (any Error)?) -> ProviderThumbnail {
        if let error {
            return ProviderThumbnail(identifier: identifier, picture: nil, failure: ProviderError(error))
        }
        guard let data, !data.isEmpty else {
            return ProviderThumbnail(identifier: identifier, picture: nil, failure: nil)
        }
        // The size is checked before any byte is read, because the data may be a mapped file.
        guard data.count <= ProviderThumbnailsCall.largestPicture else {
            let failure = ProviderError(.badAnswer, message: "a thumbnail of \(data.count) bytes")
            return ProviderThumbnail(identifier: identifier, picture: nil, failure: failure)
        }
        do {
            let file = try MemoryFile.create(name: "purvey-thumbnail")
            try data.withUnsafeBytes { try file.writeAll($0) }
            try MemoryFile.seal(file)
            return ProviderThumbnail(identifier: identifier, picture: file, failure: nil)
        } catch {
            return ProviderThumbnail(identifier: identifier, picture: nil, failure: ProviderError(error))
        }
    }
}
