import Conduit
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem

/// Transfers of file contents, in both directions.
extension DocumentProvider {
    // MARK: To the engine

    /// Makes the provider fetch a file to its path in the document storage, and opens the file.
    func contents(_ request: ProviderContentsCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderFile
    {
        let identifier = request.identifier
        let url = try url(of: identifier)
        var before = try item(identifier, engineRequest)
        // A file that changed during the fetch is fetched once more. If it changed again, the changed file is returned.
        for attempt in 0..<2 {
            guard let (file, moment) = try provided(url, identifier, engineRequest, size: before.size ?? 0) else {
                return try usedContents(request, url, engineRequest)
            }
            let after = try item(identifier, engineRequest)
            if attempt > 0 || after.contentVersion == before.contentVersion {
                return ProviderFile(item: after, file: file, moment: moment)
            }
            before = after
        }
        throw ProviderError(.transient, message: "the file changes while it is fetched")
    }

    /// Opens a file in its current state although a program still uses it. Fails if the engine does not accept such a
    /// file.
    private func usedContents(
        _ request: ProviderContentsCall, _ url: URL, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderFile {
        guard request.takesUsed else { throw Self.inUse }
        let file: FileDescriptor
        do { (file, _) = try Self.open(url) } catch { throw Self.isNotThere(request.identifier, error) }
        var item = try item(request.identifier, engineRequest)
        item.flags.insert(.hasOtherContents)
        return ProviderFile(item: item, file: file)
    }

    /// The time to wait for programs that use a file.
    private static let patience = StorageAccess.patience(usually: .seconds(5))
    private static let inUse = ProviderError(.transient, message: "a program uses the file")

    private var turn: StorageAccess {
        StorageAccess(purpose: NSFileProviderManager.backend.providerIdentifier, patience: Self.patience)
    }

    /// Makes the provider fetch a file to its path, and opens it while no program writes to it.
    ///
    /// - Returns: `nil` if a program does not release the file in time.
    private func provided(
        _ url: URL, _ identifier: String, _ engineRequest: EngineRequest, size: Int64
    ) throws(ProviderError) -> (FileDescriptor, FileMoment)? {
        var isAgain = false
        while true {
            try provide(url, identifier, engineRequest, size: size)
            do {
                return try turn.read(url) { try Self.open(url) }
            } catch let error as Errno where error == .noSuchFile && !isAgain {
                // The provider has removed the file after the fetch, because of an earlier notice that no process uses
                // the file.
                isAgain = true
            } catch {
                throw Self.isNotThere(identifier, error)
            }
        }
    }

    private static func open(_ url: URL) throws -> (FileDescriptor, FileMoment) {
        let file = try FileDescriptor.open(url.path, [.readOnly, .nonBlocking])
        let status = try file.status()
        guard status.kind == .regular else { throw Errno.isDirectory }
        return (file, FileMoment(status))
    }

    private static func isNotThere(_ identifier: String, _ error: any Error) -> ProviderError {
        ProviderError(.badAnswer, message: "the provider has put no file to its place for \(identifier): \(error)")
    }

    /// Makes the provider fetch a file to its place in the document storage.
    ///
    /// - Parameter identifier: the file's identifier; `nil` if the provider knows none.
    func provide(
        _ url: URL, _ identifier: String?, _ engineRequest: EngineRequest, size: Int64
    ) throws(ProviderError) {
        try providePlaceholder(url, engineRequest)
        let (item, domain) = (identifier.map { NSFileProviderItemIdentifier($0) }, document.domain?.identifier)
        let growth = GrowthWatch(url, size: size, engineRequest) {
            item.flatMap { RegisteredTasks.shared.download(of: $0, in: domain) }
        }
        defer { growth.stop() }
        let failure: ProviderError?
        do throws(ProviderError) {
            failure = try engineRequest.wait { done in
                document.startProvidingItem(at: url) { error in done(error.map { ProviderError($0) }) }
            }
        } catch {
            // The request is over: the provider need not continue.
            document.stopProvidingItem(at: url)
            throw error
        }
        if let failure { throw failure }
    }

    /// Makes the provider create a placeholder for a file, unless the file or its placeholder exists.
    func providePlaceholder(_ url: URL, _ engineRequest: EngineRequest) throws(ProviderError) {
        let placeholder = NSFileProviderManager.placeholderURL(for: url)
        let isThere = [url, placeholder].contains { (try? FileStatus.of($0.path, followingLinks: false)) != nil }
        if isThere { return }
        // Failures are ignored, because a provider need not support placeholders, and only the file itself is needed.
        let _: ProviderError? = try engineRequest.wait { done in
            document.providePlaceholder(at: url) { error in done(error.map { ProviderError($0) }) }
        }
    }

    // MARK: From the engine

    /// Replaces the file in the document storage atomically, and informs the provider.
    func replace(_ request: ProviderReplaceCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        // Fails for a file that was removed at the provider, because it must not be created again.
        try checkBase(of: request, engineRequest)
        let url = try url(of: request.identifier)
        let place = StoragePlace(of: url, for: request.identifier)
        defer { place.leave() }
        do {
            let staging = try stagingFolder(for: try place.folder())
            let name = ".purvey-new-" + UUID().uuidString
            guard let staged = FileName(name), let final = FileName(url.path.lastPathName) else {
                throw Errno.invalidArgument
            }
            ProviderStep.replacementBegun.reach()
            try UploadFile.copy(request.contents, into: staging, named: name, engineRequest)
            ProviderStep.replacementCopied.reach()
            do {
                let hasHadTurn: Void? = try turn.replace(url) {
                    // Other threads of the process wait until the provider is informed. Before that, the provider does
                    // not recognize the new file.
                    place.enter()
                    // The claim was granted, so the provider has been informed of all writes by programs. Therefore the
                    // version is checked again.
                    try checkBase(of: request, engineRequest)
                    let folder = try place.folder()
                    try place.mark(url.path.lastPathName, in: folder)
                    do {
                        try retrying {
                            renameat(staging.rawValue, staged.characters, folder.rawValue, final.characters)
                        }
                    } catch {
                        place.unmark(url.path.lastPathName)
                        throw error
                    }
                }
                // The claim was not granted, because a program uses the file. The program would lose its writes if the
                // file were replaced.
                if hasHadTurn == nil { throw Self.inUse }
            } catch {
                try? staging.removeFile(staged)
                throw error
            }
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        ProviderStep.replacementRenamed.reach()
        document.itemChanged(at: url)
        place.unmark(url.path.lastPathName)
        place.leave()
        ProviderStep.replacementTold.reach()
        do throws(ProviderError) {
            return try item(request.identifier, engineRequest)
        } catch  where error.kind == .noSuchItem {
            // The provider may identify the item by its contents, and have another identifier for it now.
            guard let other = identifier(ofFileAt: url.path), !other.hasSameBytes(as: request.identifier) else {
                throw error
            }
            return try item(other, engineRequest)
        }
    }

    /// Throws if the provider does not have the version that the change is based on. The engine made the same check
    /// before its request. For a provider without versions, the version consists of the file's size and date.
    private func checkBase(of request: ProviderReplaceCall, _ engineRequest: EngineRequest) throws(ProviderError) {
        guard try item(request.identifier, engineRequest).contentVersion == request.base else {
            // The engine then requests the provider's version, and keeps both versions.
            throw ProviderError(.transient, message: "the provider has other contents than the change began with")
        }
    }

    /// Returns the directory in which to write a file before it is renamed into `folder`: the temporary directory,
    /// which the next process empties if this one is killed. If the temporary directory is on another file system,
    /// returns `folder`.
    private func stagingFolder(for folder: FileDescriptor) throws -> FileDescriptor {
        let temporary = try FileDescriptor.open(temporary, [.readOnly, .directory])
        return try temporary.status().identity.device == folder.status().identity.device ? temporary : folder
    }

    func create(_ request: ProviderCreateCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let parent = NSFileProviderItemIdentifier(request.parent)
        if request.kind == .folder {
            let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
                document.createDirectory(withName: request.filename, inParentItemIdentifier: parent) {
                    done(.of($0, $1))
                }
            }
            ProviderStep.folderMade.reach()
            return try result.get()
        }
        guard request.kind == .file || importsLinks else {
            // A provider that does not import links would upload the link's target, or fail if the target does not
            // exist.
            throw ProviderError(.unsupported, message: "the provider keeps no symbolic links")
        }
        let file: UploadFile
        do {
            file = try UploadFile(named: request.filename, in: temporary)
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        // Removes the directory, and the file if the provider has not moved it away.
        defer { file.remove() }
        do {
            if request.kind == .symbolicLink {
                try file.makeLink(to: request.linkTarget ?? "")
            } else {
                // The provider learns from the file's mode whether it is executable, and whether it is private.
                try file.fill(with: request.contents, permissions: request.permissions, engineRequest)
            }
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        ProviderStep.creationCopied.reach()
        let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
            document.importDocument(at: file.url, toParentItemIdentifier: parent) { done(.of($0, $1)) }
        }
        ProviderStep.creationImported.reach()
        return try result.get()
    }
}

/// A poller of a file's size while a provider fetches the file. It reports the file's growth as progress, because an
/// ``NSFileProviderExtension`` cannot report progress itself. If the provider has registered a download task for the
/// item, reports the progress of that task instead, because the file may appear only when it is complete.
private final class GrowthWatch: Sendable {
    private let path: String
    private let size: Int64
    private let engineRequest: EngineRequest
    private let download: @Sendable () -> ReceivedBytes?
    private struct State {
        var last: Int64 = -1
        /// The number of bytes that the registered download task had received at the last poll.
        var received: Int64 = 0
        var isStopped = false
        var entry: Deadlines.Entry?
    }
    // Lock order: `Deadlines`' own lock is taken under this one.
    private let state = Lock(State())

    private static let pause: Duration = .milliseconds(250)

    /// Starts the polls.
    ///
    /// - Parameter download: returns the progress of the item's registered download task; `nil` if there is none.
    init(
        _ url: URL, size: Int64, _ engineRequest: EngineRequest, download: @escaping @Sendable () -> ReceivedBytes?
    ) {
        self.download = download
        path = url.path
        self.size = size
        self.engineRequest = engineRequest
        arm()
    }

    func stop() {
        let entry = state.withLock { state in
            state.isStopped = true
            return state.entry.take()
        }
        if let entry { Deadlines.shared.cancel(entry) }
    }

    private func arm() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.entry = Deadlines.shared.run(after: Self.pause) { [weak self] in
                guard let watch = self else { return }
                // This does not run on the timer's thread, because the file system may be slow.
                HandlerThreads.shared.run { watch.look() }
            }
        }
    }

    private func look() {
        let now = (try? FileStatus.of(path)).map { Int64($0.size) } ?? 0
        let bytes = download()
        let hasGrown = state.withLock { state -> Bool in
            defer { (state.last, state.received) = (now, bytes?.received ?? state.received) }
            if let bytes { return bytes.received > state.received }
            return state.last >= 0 && now > state.last
        }
        let (completed, total) = bytes.map { ($0.received, $0.total) } ?? (now, now)
        if hasGrown { engineRequest.advance(completed: completed, total: max(total, size)) }
        arm()
    }
}
