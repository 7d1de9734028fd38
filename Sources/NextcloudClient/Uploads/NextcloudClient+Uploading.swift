import HTTPTransport
import WebDAVClient

extension NextcloudClient {
    /// The recommended minimum size in bytes of files that a caller sends in chunks, with
    /// ``upload(_:contents:resuming:rules:note:onProgress:)``, instead of with ``put(_:onProgress:)``.
    public static let chunkedSize = 20_000_000

    /// The rules of an upload in chunks.
    public struct UploadRules: Sendable {
        /// The maximum size of a chunk in bytes that the server announces: ``NextcloudCapabilities/largestChunk``.
        public var largestChunk: Int?
        /// The maximum number of attempts to send a chunk.
        public var attempts = 4
        /// The maximum number of chunks of a file that are sent concurrently. The server processes each chunk for a
        /// while after its transfer, so that with a single chunk the connection would be idle.
        public var chunksAtOnce = 4
        /// The duration to wait for the assembly of a file if the reply to the assembly request was lost. After this
        /// duration the upload fails, and can be resumed later. The assembly may take up to an hour.
        public var assemblyPatience = Duration.seconds(600)
        /// The first pause between two checks for the assembled file, and between two attempts to send a chunk. Each
        /// further pause is twice as long, up to about half a minute.
        public var firstPause = Duration.seconds(1)

        /// Creates the default rules.
        public init() {}
    }

    /// Writes a large file in chunks (chunked upload, version 2).
    ///
    /// The server checks the condition on the file's state when it assembles the file. Until then, it does not change
    /// the file.
    ///
    /// - Parameters:
    ///   - contents: an identifier of the contents, such as a version or digest. Chunks of an earlier upload are reused
    ///     only if that upload had the same identifier.
    ///   - earlier: the upload that `note` stored before; `nil` if none has begun.
    ///   - note: stores the upload. Called after the upload has begun and before the assembly, and with `nil` when the
    ///     stored upload can be removed.
    public func upload(
        _ file: NextcloudFile, contents: String, resuming earlier: NextcloudUpload? = nil,
        rules: UploadRules = UploadRules(), note: @Sendable (NextcloudUpload?) async -> Void = { _ in },
        onProgress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(DAVError) -> NextcloudWritten {
        let base = try await current(file)
        let upload = try NextcloudUpload(file, contents: contents)
        if let earlier, earlier.name != upload.name { try? await abort(earlier) }
        let isAssembling = earlier?.name == upload.name && earlier?.isAssembling == true
        if let base, Self.fits(base, file, since: nil), isAssembling || Self.hasChecksum(base, of: file),
            try await !exists(upload)
        {
            await note(nil)
            return NextcloudWritten(base, modified: file.modified)
        }
        do {
            return try await uploaded(upload, file, base, rules, note, onProgress)
        } catch {
            // The server has discarded the upload, for example after a day. The upload begins again, but only once.
            guard case .notFound(let path) = error, let directory = try? directory("uploads", user),
                path.hasPrefix(DAVError.name(of: directory))
            else { throw error }
            return try await uploaded(upload, file, base, rules, note, onProgress)
        }
    }

    private func uploaded(
        _ upload: NextcloudUpload, _ file: NextcloudFile, _ base: NextcloudEntry?, _ rules: UploadRules,
        _ note: @Sendable (NextcloudUpload?) async -> Void, _ onProgress: (@Sendable (_ sent: Int) -> Void)?
    ) async throws(DAVError) -> NextcloudWritten {
        try await send(upload, file, rules, note, onProgress)
        do {
            let written = try await assembled(upload, file, base, rules)
            await note(nil)
            return written
        } catch {
            // The condition can never become true, or the chunks do not amount to the whole file. The chunks are
            // useless then, and count towards the user's quota.
            switch error {
            case .requirementFailed, .status(400, _):
                try? await abort(upload)
                await note(nil)
            default: break
            }
            throw error
        }
    }

    // MARK: Chunks

    /// Sends all chunks that the server does not have.
    private func send(
        _ upload: NextcloudUpload, _ file: NextcloudFile, _ rules: UploadRules,
        _ note: @Sendable (NextcloudUpload?) async -> Void, _ onProgress: (@Sendable (_ sent: Int) -> Void)?
    ) async throws(DAVError) {
        let plan = try await plan(upload, file)
        await note(upload)
        do throws(DAVError) {
            try await sendMissing(upload, file, plan, rules, onProgress)
        } catch {
            // The quota is exhausted. The chunks that were sent count towards it.
            if case .noSpace = error {
                try? await abort(upload)
                await note(nil)
            }
            throw error
        }
        var complete = upload
        complete.isAssembling = true
        await note(complete)
    }

    /// Begins an upload, or determines the missing chunks of an upload that has begun.
    private func plan(_ upload: NextcloudUpload, _ file: NextcloudFile) async throws(DAVError) -> ChunkPlan {
        var misfits: [Int] = []
        guard let known = try await chunks(of: upload) else {
            try await begin(upload, file)
            return ChunkPlan(fileSize: file.size, chunks: [:], misfits: &misfits)
        }
        let plan = ChunkPlan(fileSize: file.size, chunks: known.mapValues { $0.size }, misfits: &misfits)
        for number in misfits {
            guard let chunk = known[number] else { continue }
            var request = files.request(.delete, chunk.address)
            request.headers["Destination"] = upload.destination
            _ = try await files.send(request)
        }
        return plan
    }

    func pause(_ time: Duration) async throws(DAVError) {
        do {
            try await files.clock.sleep(for: time)
        } catch {
            throw .transport(.cancelled)
        }
    }

    /// Whether the server's reply was lost, or a proxy replied with a timeout instead.
    static func isLost(_ error: DAVError) -> Bool {
        switch error {
        case .transport(let error):
            switch error {
            case .noProgress, .truncated, .connectionLost, .transport: true
            default: false
            }
        case .status(let status, _): [408, 499, 500, 502, 504, 520, 522, 524].contains(status)
        default: false
        }
    }

    // MARK: Assembly

    /// Requests that the server assemble the file. After a lost reply, polls for the assembled file. Does not repeat
    /// the request meanwhile, because a second assembly could begin.
    private func assembled(
        _ upload: NextcloudUpload, _ file: NextcloudFile, _ base: NextcloudEntry?, _ rules: UploadRules
    ) async throws(DAVError) -> NextcloudWritten {
        do {
            return try await assemble(upload, file)
        } catch {
            var patience = rules.assemblyPatience
            switch error {
            // The server is still assembling the file, or another client has locked it.
            case .locked: patience = min(patience, .seconds(60))
            // The upload no longer exists: an earlier request assembled the file, or the upload was too old.
            case .notFound:
                if let now = try await current(file), Self.fits(now, file, since: base) {
                    return NextcloudWritten(now, modified: file.modified)
                }
                throw error
            default: guard Self.isLost(error) else { throw error }
            }
            return try await outcome(of: upload, file, base, firstPause: rules.firstPause, patience, error)
        }
    }

    private func outcome(
        of upload: NextcloudUpload, _ file: NextcloudFile, _ base: NextcloudEntry?, firstPause: Duration,
        _ patience: Duration, _ failure: DAVError
    ) async throws(DAVError) -> NextcloudWritten {
        var (next, waited) = (firstPause, Duration.zero)
        while waited < patience {
            try await pause(next)
            waited += next
            next = min(next * 2, .seconds(30))
            do throws(DAVError) {
                let exists = try await exists(upload)
                if let now = try await current(file), Self.fits(now, file, since: base), !exists {
                    return NextcloudWritten(now, modified: file.modified)
                }
                // Without the chunks, the file cannot be assembled any more.
                if !exists { throw failure }
            } catch {
                guard error != failure, error.isTransient || Self.isLost(error) else { throw error }
            }
        }
        throw failure
    }

    private func current(_ file: NextcloudFile) async throws(DAVError) -> NextcloudEntry? {
        do {
            return NextcloudEntry(try await files.entry(at: file.address))
        } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    /// Whether the file at the server is the uploaded one. Compares size, date and checksum, as far as they are known.
    /// The tag must differ from the one before the upload.
    private static func fits(_ entry: NextcloudEntry, _ file: NextcloudFile, since base: NextcloudEntry?) -> Bool {
        guard entry.entry.length == file.size, !entry.entry.isDirectory else { return false }
        if let base, base.entry.tag == entry.entry.tag { return false }
        if let modified = file.modified, entry.entry.modified != modified { return false }
        return file.checksum == nil || entry.checksums.isEmpty || hasChecksum(entry, of: file)
    }

    private static func hasChecksum(_ entry: NextcloudEntry, of file: NextcloudFile) -> Bool {
        entry.checksums.contains { $0.lowercased() == file.checksum?.lowercased() }
    }
}
