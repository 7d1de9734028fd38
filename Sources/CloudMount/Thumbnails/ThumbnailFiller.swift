import ExtensionHost
import FileProvider
import FileProviderEngine
import Fuse
import LinuxSystem

/// Fills the desktop's cache of thumbnails with the provider's pictures of the files in a folder that somebody looks into, before
/// programs come to draw it: so that they need no byte of the files.
///
/// One folder at a time, the one that was looked into last first. What is known is not asked for again; of what is on this machine
/// programs make pictures themselves.
package final class ThumbnailFiller: Sendable {
    private struct State {
        /// The last is the next.
        var waiting: [ItemNumber] = []
        var task: Task<Void, Never>?
        var isClosed = false
        /// What the provider said nothing about, or failed with for the moment.
        var tried: [ItemNumber: Attempt] = [:]
    }

    private struct Attempt {
        /// Of the file that was asked about.
        let modified: Int64
        /// Seconds since 1970.
        let time: Double
    }

    private let engine: DomainEngine
    /// Where the domain is mounted.
    private let mount: String
    private let cache: ThumbnailCache
    private let pictures: PictureProcess
    // Innermost: tasks are begun under it, which run elsewhere.
    private let state = Lock(State())

    /// Folders that wait; whoever walks through a tree looks into more than anybody sees.
    private static let mostWaiting = 4
    /// Files of a folder that there are pictures of; nobody looks at more.
    private static let mostFiles = 5000
    private static let mostTried = 100_000
    /// Seconds until it is asked again.
    private static let patience = 600.0
    /// Files that a provider is asked about at once; the first time fewer, so that there is something to see, and to make small,
    /// while it works on more.
    private static let (firstBatchSize, batchSize) = (4, 24)
    /// Pictures that are made small at once.
    private static let picturesAtOnce = 3

    init(_ engine: DomainEngine, mount: String, cache: ThumbnailCache, pictures: PictureProcess) {
        self.engine = engine
        self.mount = mount
        self.cache = cache
        self.pictures = pictures
    }

    /// Somebody looks into a folder. Does not wait.
    func look(into folder: ItemNumber) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.waiting.removeAll { $0 == folder }
            state.waiting.append(folder)
            if state.waiting.count > Self.mostWaiting { state.waiting.removeFirst() }
            if state.task == nil { state.task = Task { await self.fill() } }
        }
    }

    /// Gives up what is under way; the provider is told to stop.
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
                // The service cannot be reached, or the disk is full: whoever looks again tries again.
                if case .unsupported = (error as? ProviderFailure)?.kind { return close() }
            }
        }
    }

    private func fill(_ folder: ItemNumber) async throws {
        try await engine.wait(for: folder, .complete)
        let candidates = try await HandlerThreads.shared.value { [self] () throws(IndexFailure) -> [Candidate] in
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
            // The provider works on the next ones while these are made small.
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
                // What is left is looked for again after the folder that somebody looks at now.
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
        let candidates = Dictionary(asked.map { ($0.identifier, $0) }) { first, _ in first }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (count, answer) in answers.enumerated() {
                guard let candidate = candidates[answer.identifier] else { continue }
                try Task.checkCancellation()
                if count >= Self.picturesAtOnce { try await group.next() }
                group.addTask { try await self.take(answer, of: candidate.file) }
            }
            try await group.waitForAll()
        }
        // What is in the cache now is not asked for again anyway.
        let now = engine.clock.now
        state.withLock { state in
            if state.tried.count > Self.mostTried { state.tried = [:] }
            for candidate in asked {
                state.tried[candidate.number] = Attempt(modified: candidate.file.modified, time: now)
            }
        }
    }

    private func take(_ answer: ProviderThumbnail, of file: ThumbnailCache.File) async throws {
        guard let picture = answer.picture else {
            let isForGood = answer.failure.map { $0.kind == .badAnswer || $0.kind == .noSuchItem } ?? true
            if isForGood { try await onThread { cache throws(Errno) in try cache.storeFailure(of: file) } }
            return
        }
        do throws(PictureFailure) {
            let small = try await pictures.shrink(picture, sides: ThumbnailCache.sides)
            try await store(small, of: file)
        } catch {
            guard case .unusable = error else { throw error }
            try await onThread { cache throws(Errno) in try cache.storeFailure(of: file) }
        }
    }

    private func store(_ pictures: SmallPictures, of file: ThumbnailCache.File) async throws(PictureFailure) {
        do throws(Errno) {
            let isTaken = try await onThread { cache throws(Errno) in try cache.store(pictures, of: file) }
            if isTaken { return }
        } catch {
            throw .unavailable("\(error)")
        }
        throw .unusable("what was made of it is no picture")
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (ThumbnailCache) throws(Errno) -> Value
    ) async throws(Errno) -> Value {
        let cache = cache
        return try await HandlerThreads.shared.value { () throws(Errno) in try body(cache) }
    }

    // MARK: What to ask about

    private struct Candidate: Sendable {
        let number: ItemNumber
        let identifier: String
        let file: ThumbnailCache.File
    }

    private func candidates(in folder: ItemNumber) throws(IndexFailure) -> [Candidate] {
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
            let isRecent = attempt.map { $0.modified == file.modified && abs(now - $0.time) < Self.patience } ?? false
            guard !isRecent, !cache.knows(file) else { return nil }
            return Candidate(number: item.number, identifier: item.item.identifier, file: file)
        }
    }

    private func path(of folder: ItemNumber) throws(IndexFailure) -> String? {
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
