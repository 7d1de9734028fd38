import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The contents of files, in both directions.
extension ProviderRuntime {
    func addTransfers(to service: inout Service) {
        on(ProviderContentsCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.contents(request.identifier, provider, question)
        }
        on(ProviderStopCall.self, key: \.identifier, in: &service) {
            request, provider, _ throws(ProviderFailure) in
            provider.object.stopProvidingItem(at: try provider.url(of: request.identifier))
            return Empty()
        }
        on(ProviderReplaceCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.replace(request, provider, question)
        }
        let importsLinks = importsLinks
        on(ProviderCreateCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.create(request, provider, question, importsLinks: importsLinks)
        }
    }

    // MARK: To the engine

    /// Has the provider put the file to its place, and opens it there.
    private static func contents(
        _ identifier: String, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderFile {
        let url = try provider.url(of: identifier)
        var before = try provider.item(identifier)
        // A file that changed while it was fetched is fetched once more; one that always does is taken as it is.
        for attempt in 0..<2 {
            try provide(url, provider, question, size: before.size ?? 0)
            let file: FileDescriptor
            do throws(Errno) {
                file = try .open(url.path, [.readOnly, .nonBlocking])
                guard try file.status().kind == .regular else {
                    throw .isDirectory
                }
            } catch {
                throw ProviderFailure(
                    .badAnswer, message: "the provider has put no file to its place for \(identifier): \(error)")
            }
            let after = try provider.item(identifier)
            if attempt > 0 || after.contentVersion == before.contentVersion {
                return ProviderFile(item: after, file: file)
            }
            before = after
        }
        throw ProviderFailure(.transient, message: "the file changes while it is fetched")
    }

    /// Has the provider put a file to its place.
    static func provide(
        _ url: URL, _ provider: ProviderObject, _ question: Question, size: Int64
    ) throws(ProviderFailure) {
        try providePlaceholder(url, provider, question)
        let growth = GrowthWatch(url, size: size, question)
        defer { growth.stop() }
        let failure: ProviderFailure?
        do throws(ProviderFailure) {
            failure = try question.wait { done in
                provider.object.startProvidingItem(at: url) { error in done(error.map { ProviderFailure($0) }) }
            }
        } catch {
            // Nobody waits any more: the provider need not go on.
            provider.object.stopProvidingItem(at: url)
            throw error
        }
        if let failure { throw failure }
    }

    /// Has the provider put something to a file's place that stands for it, where there is neither.
    static func providePlaceholder(
        _ url: URL, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) {
        let placeholder = NSFileProviderManager.placeholderURL(for: url)
        let isThere = [url, placeholder].contains { (try? FileStatus.of($0.path, followingLinks: false)) != nil }
        if isThere { return }
        // A provider that has no use for one may fail: the file itself is what is wanted.
        let _: ProviderFailure? = try question.wait { done in
            provider.object.providePlaceholder(at: url) { error in done(error.map { ProviderFailure($0) }) }
        }
    }

    // MARK: From the engine

    /// Puts new contents to the file's place, whole at any moment, and tells the provider.
    private static func replace(
        _ request: ProviderReplaceCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderItem {
        // What is not there any more is not to come back by this way.
        _ = try provider.item(request.identifier)
        let url = try provider.url(of: request.identifier)
        let place = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let folder = try FileDescriptor.open(place.path, [.readOnly, .directory])
            let staging = try stagingFolder(for: folder, provider)
            let name = ".purvey-new-" + UUID().uuidString
            guard let staged = FileName(name), let final = FileName(url.lastPathComponent) else {
                throw Errno.invalidArgument
            }
            ProviderStep.replacementBegun.reach()
            try copy(request.contents, into: staging, named: name, question)
            ProviderStep.replacementCopied.reach()
            do throws(Errno) {
                try retrying {
                    renameat(staging.rawValue, staged.characters, folder.rawValue, final.characters)
                }
            } catch {
                try? staging.removeFile(staged)
                throw error
            }
        } catch {
            throw failure(error, question)
        }
        ProviderStep.replacementRenamed.reach()
        provider.object.itemChanged(at: url)
        ProviderStep.replacementTold.reach()
        return try provider.item(request.identifier)
    }

    /// Where a file is made that is to be moved to a folder: among those on their way, of which nothing stays when the process is killed,
    /// or in the folder itself where that is on another file system.
    private static func stagingFolder(for folder: FileDescriptor, _ provider: ProviderObject) throws -> FileDescriptor {
        let temporary = try FileDescriptor.open(provider.temporary, [.readOnly, .directory])
        return try temporary.status().identity.device == folder.status().identity.device ? temporary : folder
    }

    private static func create(
        _ request: ProviderCreateCall, _ provider: ProviderObject, _ question: Question, importsLinks: Bool
    ) throws(ProviderFailure) -> ProviderItem {
        let parent = NSFileProviderItemIdentifier(request.parent)
        if request.kind == .folder {
            let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
                provider.object.createDirectory(withName: request.filename, inParentItemIdentifier: parent) {
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
        let folder = provider.temporary + "/" + UUID().uuidString
        // The provider may have moved the file away; what is left of it goes.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            guard let name = FileName(request.filename) else { throw Errno.invalidArgument }
            if request.kind == .symbolicLink {
                try directory.makeLink(name, target: Array((request.linkTarget ?? "").utf8))
            } else if let contents = request.contents {
                // The provider is told by the file itself whether it can be run.
                let permissions: mode_t? = request.isExecutable ? 0o700 : nil
                try copy(contents, into: directory, named: request.filename, permissions: permissions, question)
            } else {
                _ = try directory.createFile(name, permissions: 0o600)
            }
        } catch {
            throw failure(error, question)
        }
        ProviderStep.creationCopied.reach()
        let url = URL(fileURLWithPath: folder + "/" + request.filename, isDirectory: false)
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            provider.object.importDocument(at: url, toParentItemIdentifier: parent) { done(.of($0, $1)) }
        }
        ProviderStep.creationImported.reach()
        return try result.get()
    }

    private static func copy(
        _ contents: FileDescriptor, into folder: FileDescriptor, named name: String, permissions: mode_t? = nil,
        _ question: Question
    ) throws(CopyError) {
        try FileCopier.copy(
            contents, into: folder, named: name, permissions: permissions,
            progress: { completed, total in question.advance(completed: Int64(completed), total: Int64(total)) },
            isCancelled: { question.over != nil })
    }

    /// Why a file could not be put to its place: the question is over, or there is no room, or something that may pass.
    private static func failure(_ error: any Error, _ question: Question) -> ProviderFailure {
        if let over = question.over { return over }
        if case CopyError.noSpace = error { return ProviderFailure(.noSpace, message: "\(error)") }
        return ProviderFailure(error)
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
