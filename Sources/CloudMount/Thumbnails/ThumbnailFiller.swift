import ExtensionHost
import FileProviderEngine
import FileProviderWire
import Fuse
import ItemStore
import ItemValues
import LinuxSystem

/// A task that fills the desktop's thumbnail cache with pictures from the provider. When a program reads a directory,
/// the task requests the pictures of the files in it before thumbnailers run, so that thumbnailers do not read the
/// files.
///
/// It fills one directory at a time, the latest first. Cached pictures are not requested again. For local files,
/// thumbnailers create the pictures themselves.
package final class ThumbnailFiller: Sendable {
    private struct State {
        /// The directories to fill. The last one is filled next.
        var waiting: [ItemNumber] = []
        var task: Task<Void, Never>?
        var isClosed = false
        /// The files whose picture was requested, even if the provider had none.
        var tried: [ItemNumber: Attempt] = [:]
    }

    private struct Attempt {
        /// The modification date of the file at the time of the request, in seconds since 1970.
        let modified: Int64
        /// The time of the request, in seconds since 1970.
        let time: Double
        /// The time in seconds until the picture is requested again.
        let patience: Double
    }

    private let engine: DomainEngine
    /// The path on which the domain is mounted.
    private let mount: String
    private let cache: ThumbnailCache
    private let pictures: PictureProcess
    // Leaf lock: tasks are started under it, but run elsewhere.
    private let state = Lock(State())

    /// The maximum number of waiting directories. A limit is needed because a program that walks a tree reads more
    /// directories than the user sees.
    private static let mostWaiting = 4
    /// The maximum number of files of a directory for which pictures are requested. A user rarely views more.
    private static let mostFiles = 5000
    private static let mostTried = 100_000
    /// The times in seconds until a picture is requested again: `patience` after a reply, `retryDelay` after no reply
    /// or a temporary failure.
    private static let (patience, retryDelay) = (600.0, 5.0)
    /// The number of files in the first and in each further request to the provider. The first request is smaller, so
    /// that some pictures appear early and are scaled while the provider works on the next request.
    private static let (firstBatchSize, batchSize) = (4, 24)
    /// The number of pictures that are scaled concurrently.
    private static let picturesAtOnce = 3

    init(_ engine: DomainEngine, mount: String, cache: ThumbnailCache, pictures: PictureProcess) {
        self.engine = engine
        self.mount = mount
        self.cache = cache
        self.pictures = pictures
    }

    /// Schedules a directory to be filled, because a program opened it. Does not block.
    func look(into folder: ItemNumber) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.waiting.removeAll { $0 == folder }
            state.waiting.append(folder)
            if state.waiting.count > Self.mostWaiting { state.waiting.removeFirst() }
            if state.task == nil { state.task = Task { await self.fill() } }
        }
    }

    /// Cancels all work, including the requests to the provider.
    func close() {
        let task = state.withLock { state in
            state.isClosed = true
            state.waiting = []
            return state.task
        }
        task?.cancel()
    }

    // MARK: The work

    private func fill() async {
        while true {
            let next = state.withLock { state -> ItemNumber? in
                let next = state.waiting.popLast()
                if next == nil { state.task = nil }
                return next
            }
            guard let next else { return }
            do {
                try await fill(next)
            } catch {
                // The service is unreachable or the disk is full. The next read of the directory retries.
                if case .unsupported = (error as? ProviderError)?.kind { return close() }
            }
        }
    }

    private func fill(_ folder: ItemNumber) async throws {
        try await engine.wait(for: folder, .complete)
        let candidates = try await HandlerThreads.shared.value { [self] () throws(IndexError) -> [Candidate] in
            try self.candidates(in: folder)
        }
        var rest = candidates[...]
        var fetched: (asked: ArraySlice<Candidate>, answers: Task<[ProviderThumbnail], any Error>)?
        defer { fetched?.answers.cancel() }
        while true {
            try Task.checkCancellation()
            let isWanted = state.withLock { $0.waiting.isEmpty }
            let isFirst = rest.count == candidates.count
            let batch = isWanted ? rest.prefix(isFirst ? Self.firstBatchSize : Self.batchSize) : []
            let before = fetched
            // The provider works on the next batch while the pictures of the previous batch are scaled.
            fetched = batch.isEmpty ? nil : (batch, ask(about: batch))
            rest = rest.dropFirst(batch.count)
            if let before {
                let answers = try await withTaskCancellationHandler {
                    try await before.answers.value
                } onCancel: {
                    before.answers.cancel()
                }
                try await take(answers, before.asked)
            }
            if fetched == nil {
                // A newer directory is filled first. After that, this directory is filled again, and its remaining
                // files are determined anew.
                if !rest.isEmpty { state.withLock { $0.waiting.insert(folder, at: 0) } }
                return
            }
        }
    }

    private func ask(about batch: ArraySlice<Candidate>) -> Task<[ProviderThumbnail], any Error> {
        let (provider, identifiers) = (engine.provider, batch.map(\.identifier))
        return Task {
            try await provider.thumbnails(of: identifiers, side: ThumbnailCache.sides.last ?? 0)
        }
    }

    private func take(_ answers: [ProviderThumbnail], _ asked: ArraySlice<Candidate>) async throws {
        let candidates = Dictionary(asked.map { (ExactText($0.identifier), $0) }) { first, _ in first }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (count, answer) in answers.enumerated() {
                guard let candidate = candidates[ExactText(answer.identifier)] else { continue }
                try Task.checkCancellation()
                if count >= Self.picturesAtOnce { try await group.next() }
                group.addTask { try await self.take(answer, of: candidate.file) }
            }
            try await group.waitForAll()
        }
        // Files with a picture in the cache are never requested again. For all other files, the record in `tried`
        // delays the next request.
        let settled = Set(
            texts:
                answers.lazy.filter { $0.failure.map(Self.isPermanent) ?? true }.map(\.identifier))
        let now = engine.clock.now
        state.withLock { state in
            if state.tried.count > Self.mostTried { state.tried = [:] }
            for candidate in asked {
                let patience = settled.contains(candidate.identifier) ? Self.patience : Self.retryDelay
                state.tried[candidate.number] = Attempt(
                    modified: candidate.file.modified, time: now, patience: patience)
            }
        }
    }

    /// Whether the provider will fail again to create a thumbnail of the same file.
    private static func isPermanent(_ failure: ProviderError) -> Bool {
        failure.kind == .badAnswer || failure.kind == .noSuchItem
    }

    private func take(_ answer: ProviderThumbnail, of file: ThumbnailCache.File) async throws {
        guard let picture = answer.picture else {
            if answer.failure.map(Self.isPermanent) ?? true {
                try await onThread { cache throws(Errno) in try cache.storeFailure(of: file) }
            }
            return
        }
        do throws(PictureError) {
            let small = try await pictures.shrink(picture, sides: ThumbnailCache.sides)
            try await store(small, of: file)
        } catch {
            guard case .unusable = error else { throw error }
            try await onThread { cache throws(Errno) in try cache.storeFailure(of: file) }
        }
    }

    private func store(_ pictures: SmallPictures, of file: ThumbnailCache.File) async throws(PictureError) {
        do throws(Errno) {
            let isTaken = try await onThread { cache throws(Errno) in try cache.store(pictures, of: file) }
            if isTaken { return }
        } catch {
            throw .unavailable("\(error)")
        }
        throw .unusable("the thumbnail is not a picture")
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (ThumbnailCache) throws(Errno) -> Value
    ) async throws(Errno) -> Value {
        let cache = cache
        return try await HandlerThreads.shared.value { () throws(Errno) in try body(cache) }
    }

    // MARK: Candidates

    private struct Candidate: Sendable {
        let number: ItemNumber
        let identifier: String
        let file: ThumbnailCache.File
    }

    private func candidates(in folder: ItemNumber) throws(IndexError) -> [Candidate] {
        guard let path = try path(of: folder) else { return [] }
        var found: [IndexedItem] = []
        var types = PictureTypes()
        try engine.index.children(of: folder, after: nil, limit: .max) { item in
            if item.item.kind == .file, item.content == .dataless, item.isKnownToProvider,
                types.contains(item.item.contentType)
            {
                found.append(item)
            }
            return found.count < Self.mostFiles
        }
        let (tried, now) = (state.withLock { $0.tried }, engine.clock.now)
        return found.compactMap { item in
            let file = ThumbnailCache.File(
                path: path + "/" + item.name, modified: Timestamp(seconds: item.modifiedSeconds).seconds)
            let attempt = tried[item.number]
            let isRecent = attempt.map { $0.modified == file.modified && abs(now - $0.time) < $0.patience } ?? false
            guard !isRecent, !cache.knows(file) else { return nil }
            return Candidate(number: item.number, identifier: item.item.identifier, file: file)
        }
    }

    private func path(of folder: ItemNumber) throws(IndexError) -> String? {
        var names: [String] = []
        var number = folder
        while number != .root {
            guard let item = try engine.index.item(number) else { return nil }
            names.append(item.name)
            number = item.parent
        }
        return names.isEmpty ? mount : mount + "/" + names.reversed().joined(separator: "/")
    }
}
