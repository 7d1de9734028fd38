import LinuxSystem
import WebDAVClient

extension NextcloudClient {
    /// A counter of the bytes that were sent so far, for progress reports. It begins with the bytes that the server
    /// already has.
    private final class SentBytes: Sendable {
        private let report: (@Sendable (_ sent: Int) -> Void)?
        // Leaf lock of this module. The caller's report function runs with the lock held, so that the reports are in
        // order.
        private let state: Lock<(whole: Int, chunks: [Int: Int])>

        init(_ present: Int, _ report: (@Sendable (_ sent: Int) -> Void)?) {
            self.report = report
            state = Lock((present, [:]))
            report?(present)
        }

        func note(_ sent: Int, of chunk: Int) {
            guard let report else { return }
            state.withLock { state in
                state.whole += sent - (state.chunks.updateValue(sent, forKey: chunk) ?? 0)
                report(state.whole)
            }
        }
    }

    private struct SentChunk: Sendable {
        let chunk: ChunkPlan.Chunk
        let time: Duration
        let failure: DAVError?
    }

    /// Sends all chunks that the server does not have, several of them concurrently. After a failure, no further chunk
    /// is started. The running transfers are completed, because a resumed upload can use their chunks.
    func sendMissing(
        _ upload: NextcloudUpload, _ file: NextcloudFile, _ plan: ChunkPlan, _ rules: UploadRules,
        _ onProgress: (@Sendable (_ sent: Int) -> Void)?
    ) async throws(DAVError) {
        let bytes = SentBytes(plan.present, onProgress)
        let failure = await withTaskGroup(of: SentChunk.self) { group -> DAVError? in
            var (rest, sizes, running) = (plan, ChunkSizes(fileSize: file.size, limit: rules.largestChunk), 0)
            var failure: DAVError?
            while true {
                while failure == nil, running < rules.chunksAtOnce, let chunk = rest.next(sizes) {
                    running += 1
                    group.addTask { await send(chunk, of: file, upload, rules, bytes) }
                }
                guard let sent = await group.next() else { return failure }
                running -= 1
                switch sent.failure {
                case nil: sizes.adapt(size: sent.chunk.range.count, took: sent.time)
                case .tooLarge? where sizes.shrink(from: sent.chunk.range.count): rest.putBack(sent.chunk)
                case let error?: failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    private func send(
        _ chunk: ChunkPlan.Chunk, of file: NextcloudFile, _ upload: NextcloudUpload, _ rules: UploadRules,
        _ bytes: SentBytes
    ) async -> SentChunk {
        let begin = ContinuousClock.now
        var failure: DAVError?
        do {
            try await repeated(rules) { () throws(DAVError) in
                try await send(chunk.range, of: file, as: chunk.number, upload) { bytes.note($0, of: chunk.number) }
            }
        } catch {
            failure = error
            bytes.note(0, of: chunk.number)
        }
        return SentChunk(chunk: chunk, time: .now - begin, failure: failure)
    }

    /// Repeats an operation after a lost reply. The operation must be idempotent. The transport itself repeats requests
    /// that a busy server refuses.
    private func repeated(
        _ rules: UploadRules, _ operation: () async throws(DAVError) -> Void
    ) async throws(DAVError) {
        var attempt = 1
        while true {
            do {
                return try await operation()
            } catch {
                guard attempt < rules.attempts, Self.isLost(error) else { throw error }
            }
            try await pause(rules.firstPause * (1 << min(attempt - 1, 5)))
            attempt += 1
        }
    }
}
