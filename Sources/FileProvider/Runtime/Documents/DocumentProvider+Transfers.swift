import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The contents of files, in both directions.
extension DocumentProvider {
    // MARK: To the engine

    /// Has the provider put the file to its place, and opens it there.
    func contents(_ request: ProviderContentsCall, _ question: Question) throws(ProviderFailure) -> ProviderFile {
        let identifier = request.identifier
        let url = try url(of: identifier)
        var before = try item(identifier, question)
        // A file that changed while it was fetched is fetched once more; one that always does is taken as it is.
        for attempt in 0..<2 {
            guard let (file, moment) = try provided(url, identifier, question, size: before.size ?? 0) else {
                return try usedContents(request, url, question)
            }
            let after = try item(identifier, question)
            if attempt > 0 || after.contentVersion == before.contentVersion {
                return ProviderFile(item: after, file: file, moment: moment)
            }
            before = after
        }
        throw ProviderFailure(.transient, message: "the file changes while it is fetched")
    }

    /// What a program does not let go of, as it is, where that is better than nothing.
    private func usedContents(
        _ request: ProviderContentsCall, _ url: URL, _ question: Question
    ) throws(ProviderFailure) -> ProviderFile {
        guard request.takesUsed else { throw Self.inUse }
        let file: FileDescriptor
        do { (file, _) = try Self.open(url) } catch { throw Self.isNotThere(request.identifier, error) }
        var item = try item(request.identifier, question)
        item.flags.insert(.hasOtherContents)
        return ProviderFile(item: item, file: file)
    }

    /// How long programs are waited for that use a file.
    private static let patience = StorageTurn.patience(usually: .seconds(5))
    private static let inUse = ProviderFailure(.transient, message: "a program uses the file")

    private var turn: StorageTurn {
        StorageTurn(purpose: NSFileProviderManager.backend.providerIdentifier, patience: Self.patience)
    }

    /// Has the provider put a file to its place, and opens it while no program writes it.
    ///
    /// - Returns: `nil` where one does not let go of it.
    private func provided(
        _ url: URL, _ identifier: String, _ question: Question, size: Int64
    ) throws(ProviderFailure) -> (FileDescriptor, FileMoment)? {
        var isAgain = false
        while true {
            try provide(url, question, size: size)
            do {
                return try turn.read(url) { try Self.open(url) }
            } catch let error as Errno where error == .noSuchFile && !isAgain {
                // It was removed in between: by what the provider was told before, that the file was of no use any more.
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

    private static func isNotThere(_ identifier: String, _ error: any Error) -> ProviderFailure {
        ProviderFailure(.badAnswer, message: "the provider has put no file to its place for \(identifier): \(error)")
    }

    /// Has the provider put a file to its place.
    func provide(_ url: URL, _ question: Question, size: Int64) throws(ProviderFailure) {
        try providePlaceholder(url, question)
        let growth = GrowthWatch(url, size: size, question)
        defer { growth.stop() }
        let failure: ProviderFailure?
        do throws(ProviderFailure) {
            failure = try question.wait { done in
                document.startProvidingItem(at: url) { error in done(error.map { ProviderFailure($0) }) }
            }
        } catch {
            // Nobody waits any more: the provider need not go on.
            document.stopProvidingItem(at: url)
            throw error
        }
        if let failure { throw failure }
    }

    /// Has the provider put something to a file's place that stands for it, where there is neither.
    func providePlaceholder(_ url: URL, _ question: Question) throws(ProviderFailure) {
        let placeholder = NSFileProviderManager.placeholderURL(for: url)
        let isThere = [url, placeholder].contains { (try? FileStatus.of($0.path, followingLinks: false)) != nil }
        if isThere { return }
        // A provider that has no use for one may fail: the file itself is what is wanted.
        let _: ProviderFailure? = try question.wait { done in
            document.providePlaceholder(at: url) { error in done(error.map { ProviderFailure($0) }) }
        }
    }

    // MARK: From the engine

    /// Puts new contents to the file's place, whole at any moment, and tells the provider.
    func replace(_ request: ProviderReplaceCall, _ question: Question) throws(ProviderFailure) -> ProviderItem {
        // What is not there any more is not to come back by this way.
        try checkBase(of: request, question)
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
            try FileOnItsWay.copy(request.contents, into: staging, named: name, question)
            ProviderStep.replacementCopied.reach()
            do {
                let hasHadTurn: Void? = try turn.replace(url) {
                    // Until the provider has been told it does not know what this is, and it is in its way.
                    place.enter()
                    // The provider knows now of what programs have written until here.
                    try checkBase(of: request, question)
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
                // Whoever has it would lose what it writes.
                if hasHadTurn == nil { throw Self.inUse }
            } catch {
                try? staging.removeFile(staged)
                throw error
            }
        } catch {
            throw FileOnItsWay.failure(error, question)
        }
        ProviderStep.replacementRenamed.reach()
        document.itemChanged(at: url)
        place.unmark(url.path.lastPathName)
        place.leave()
        ProviderStep.replacementTold.reach()
        do throws(ProviderFailure) {
            return try item(request.identifier, question)
        } catch  where error.kind == .noSuchItem {
            // With other contents it may have another identifier.
            guard let other = identifier(ofFileAt: url.path), other != request.identifier else { throw error }
            return try item(other, question)
        }
    }

    /// The engine has found the provider's version to be the one that the change began with, before it asked for the change. A provider
    /// that says of no version says the same of all.
    private func checkBase(of request: ProviderReplaceCall, _ question: Question) throws(ProviderFailure) {
        guard try item(request.identifier, question).contentVersion == request.base else {
            // The engine finds out what the provider has, and keeps both.
            throw ProviderFailure(.transient, message: "the provider has other contents than the change began with")
        }
    }

    /// Where a file is made that is to be moved to a folder: among those on their way, of which nothing stays when the process is killed,
    /// or in the folder itself where that is on another file system.
    private func stagingFolder(for folder: FileDescriptor) throws -> FileDescriptor {
        let temporary = try FileDescriptor.open(temporary, [.readOnly, .directory])
        return try temporary.status().identity.device == folder.status().identity.device ? temporary : folder
    }

    func create(_ request: ProviderCreateCall, _ question: Question) throws(ProviderFailure) -> ProviderItem {
        let parent = NSFileProviderItemIdentifier(request.parent)
        if request.kind == .folder {
            let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
                document.createDirectory(withName: request.filename, inParentItemIdentifier: parent) {
                    done(.of($0, $1))
                }
            }
            ProviderStep.folderMade.reach()
            return try result.get()
        }
        guard request.kind == .file || importsLinks else {
            // Others would send what the link leads to, or follow it to nowhere.
            throw ProviderFailure(.unsupported, message: "the provider keeps no symbolic links")
        }
        let file: FileOnItsWay
        do {
            file = try FileOnItsWay(named: request.filename, in: temporary)
        } catch {
            throw FileOnItsWay.failure(error, question)
        }
        // The provider may have moved the file away; what is left of it goes.
        defer { file.remove() }
        do {
            if request.kind == .symbolicLink {
                try file.makeLink(to: request.linkTarget ?? "")
            } else {
                // The provider is told by the file itself whether it can be run.
                try file.fill(with: request.contents, isExecutable: request.isExecutable, question)
            }
        } catch {
            throw FileOnItsWay.failure(error, question)
        }
        ProviderStep.creationCopied.reach()
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            document.importDocument(at: file.url, toParentItemIdentifier: parent) { done(.of($0, $1)) }
        }
        ProviderStep.creationImported.reach()
        return try result.get()
    }
}

/// Sees a file grow that a provider is fetching to its place, and tells of it: a provider of this kind has no other way to.
private final class GrowthWatch: Sendable {
    private let path: String
    private let size: Int64
    private let question: Question
    private struct State {
        var last: Int64 = -1
        var isStopped = false
        var entry: Deadlines.Entry?
    }
    // Lock order: `Deadlines`' own lock is taken inside of this one.
    private let state = Lock(State())

    private static let pause: Duration = .milliseconds(250)

    init(_ url: URL, size: Int64, _ question: Question) {
        path = url.path
        self.size = size
        self.question = question
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
                // A file system may be slow to say.
                HandlerThreads.shared.run { watch.look() }
            }
        }
    }

    private func look() {
        let now = (try? FileStatus.of(path)).map { Int64($0.size) } ?? 0
        let hasGrown = state.withLock { state -> Bool in
            defer { state.last = now }
            return state.last >= 0 && now > state.last
        }
        if hasGrown { question.advance(completed: now, total: max(now, size)) }
        arm()
    }
}
