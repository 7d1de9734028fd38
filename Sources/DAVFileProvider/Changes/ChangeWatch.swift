import FileProvider
import Foundation
import Glibc
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Searches for changes at the server.
///
/// A plain server sends no notices. Each folder that was listed is listed again after a pause. The pause doubles while
/// nothing changes, up to a quarter of an hour if the folder has local items, and up to a day otherwise. If a folder's
/// tag changes with any of its descendants (``DAVServiceKind/hasDeepTags``), only the tag of the root is requested.
package final class ChangeWatch: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The task that listens to the service's notices of changes.
        var listener: Task<Void, Never>?
        /// The continuation of the waiting task.
        var wake: CheckedContinuation<Void, Never>?
        var isWanted = false
        var lastPass: ContinuousClock.Instant?
        /// Whether the system has requested changes since the last pass.
        var isAsked = false
    }

    let account: DAVAccount
    /// The directory for contents that are fetched only to compare them.
    private let temporary: URL
    private let signal: @Sendable () -> Void
    // Leaf lock.
    private let state = Lock(State())

    /// The minimum interval between two passes that the system's requests cause.
    private static let shortest = Duration.seconds(2)
    private static let (longestInUse, longest): (Int64, Int64) = (900, ServerCatalogue.longestPause)
    /// The maximum number of folders that one pass checks, and the maximum number that it checks concurrently.
    private static let (mostFolders, mostAtOnce) = (64, 4)

    init(_ account: DAVAccount, temporary: URL, signal: @escaping @Sendable () -> Void) {
        self.account = account
        self.temporary = temporary
        self.signal = signal
    }

    /// The current time in seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    // MARK: The loop

    /// Starts the search, which continues until ``stop()``.
    package func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task { [weak self] in
                while !Task.isCancelled {
                    guard let pause = await self?.turn() else { return }
                    await self?.wait(pause)
                }
            }
            state.listener = Task { [weak self, account] in
                await account.service.listen(for: account) { [weak self] notice in await self?.heard(notice) }
            }
        }
    }

    /// Ends the search.
    package func stop() {
        let (task, listener, wake) = state.withLock { ($0.task.take(), $0.listener.take(), $0.wake.take()) }
        task?.cancel()
        listener?.cancel()
        wake?.resume()
    }

    /// Makes one pass, and returns the pause until the next one.
    private func turn() async -> Duration {
        do {
            let isAsked = state.withLock { state in
                defer { state.isAsked = false }
                return state.isAsked
            }
            if isAsked { try await account.catalogue.perform { try $0.makeActiveDue(Self.now, Self.longestInUse) } }
            if try await pass() { signal() }
            let next = try await account.catalogue.perform { try $0.nextDue() }
            if account.service.hasDeepTags { return .seconds(account.pollInterval) }
            let rest = next.map { $0 - Self.now } ?? Int64(account.pollInterval)
            return .seconds(max(1, min(rest, Int64(account.pollInterval))))
        } catch {
            // After an error, such as a lost connection or a busy server, the usual pause is short enough.
            return .seconds(account.pollInterval)
        }
    }

    private func wait(_ pause: Duration) async {
        let timer = Task { [weak self, clock = account.clock] in
            try? await clock.sleep(for: pause)
            if !Task.isCancelled { self?.wakeUp() }
        }
        await withCheckedContinuation { continuation in
            let isWanted = state.withLock { state in
                if state.isWanted || state.task == nil { return true }
                state.wake = continuation
                return false
            }
            if isWanted { continuation.resume() }
        }
        timer.cancel()
        state.withLock { $0.isWanted = false }
    }

    /// Checks the folders that a service's notice concerns.
    private func heard(_ notice: DAVNotice) async {
        if case .items(let identities) = notice, let areKnown = try? await check(identities: identities), areKnown {
            return
        }
        wakeUp()
    }

    private func wakeUp() {
        let wake = state.withLock { state in
            state.isWanted = true
            return state.wake.take()
        }
        wake?.resume()
    }

    // MARK: Causes

    /// Records that the system requested changes, and begins a pass, unless one has just ended.
    package func wasAsked() {
        let isRecent = state.withLock { state in
            let isRecent = state.lastPass.map { .now - $0 < Self.shortest } ?? false
            if !isRecent { state.isAsked = true }
            return isRecent
        }
        if !isRecent { wakeUp() }
    }

    /// Signals the working set, because a request other than a pass found a change.
    func signalSoon() { signal() }

    /// Records which folders contain local items.
    package func noteInUse(_ identifiers: [NSFileProviderItemIdentifier]) async throws {
        let numbers = identifiers.compactMap { account.number(of: $0) }
        try await account.catalogue.perform { catalogue in
            var folders: Set<Int64> = []
            for number in numbers {
                guard let item = try catalogue.item(number) else { continue }
                folders.insert(item.isFolder ? item.number : item.parent)
            }
            try catalogue.noteInUse(folders)
        }
    }

    // MARK: One pass

    /// Checks the folders that are due.
    ///
    /// - Parameter all: whether the pass also checks the listed folders that are not due yet.
    /// - Returns: whether an item or the quota has changed.
    @discardableResult
    package func pass(all: Bool = false) async throws -> Bool {
        state.withLock { $0.lastPass = .now }
        await account.clearExchanges(.background, temporary: temporary)
        await account.clearProbes()
        let before = try await account.catalogue.perform { try $0.last("change") }
        let pass = ChangePass(account)
        if account.service.hasDeepTags {
            try await pass.descend()
            let time = all ? .max : Self.now
            let external = try await account.catalogue.perform {
                try $0.dueFolders(time, inUseWith: NoDeepTags.mount)
            }
            try await each(external.filter { !pass.hasListed($0.number) }.prefix(Self.mostFolders)) { folder in
                try await self.check(folder, in: pass)
            }
        } else {
            try await account.checkRoom()
            let due = try await account.catalogue.perform {
                try $0.dueFolders(all ? .max : Self.now, limit: Self.mostFolders)
            }
            try await each(due[...]) { folder in try await self.check(folder, in: pass) }
        }
        try await pass.finish()
        let after = try await account.catalogue.perform { catalogue in
            try catalogue.forgetOldestGone()
            try catalogue.forgetEndedExchanges()
            return try catalogue.last("change")
        }
        state.withLock { $0.lastPass = .now }
        // The system reads the domain's state after each report of changes, so a new quota counts as a change.
        let hasOtherRoom = account.room.takeChange()
        return after != before || hasOtherRoom
    }

    private func check(_ folder: DueFolder, in pass: ChangePass) async throws {
        let outcome = try await pass.attempt(folder.number)
        // The pause does not grow while the server is busy.
        let pause = outcome == .busy ? folder.pause / 2 : folder.pause
        try await plan(folder.number, after: pause, outcome == .changed, isInUse: folder.isInUse)
    }

    /// Runs a function for each folder, for some folders concurrently. The first error ends the iteration.
    private func each(
        _ folders: ArraySlice<DueFolder>, _ body: @escaping @Sendable (DueFolder) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, folder) in folders.enumerated() {
                if index >= Self.mostAtOnce { try await group.next() }
                group.addTask { try await body(folder) }
            }
            try await group.waitForAll()
        }
    }

    private func plan(_ folder: Int64, after pause: Int64, _ hasChanged: Bool, isInUse: Bool) async throws {
        let shortest = Int64(account.pollInterval)
        let doubled = max(shortest, pause) * 2
        let next = hasChanged ? shortest : min(doubled, isInUse ? Self.longestInUse : Self.longest)
        // The random part spreads the checks of clients that started at the same time.
        let due = Self.now + next - .random(in: 0...max(0, next / 8))
        try await account.catalogue.perform { try $0.plan(folder, due: due, pause: next) }
    }

    /// Checks one folder now.
    func check(_ known: DAVKnownItem) async throws {
        let pass = ChangePass(account)
        let hasChanged = try await pass.check(known.item.number)
        try await finish(pass)
        if hasChanged { try await plan(known.item.number, after: 0, true, isInUse: false) }
    }

    /// Checks the folders of items that a service reported as changed.
    ///
    /// - Returns: whether the catalogue has all of these items. If not, the caller has to check all folders.
    package func check(identities: [String]) async throws -> Bool {
        let numbers = try await account.catalogue.perform { catalogue in
            try identities.map { identity -> Int64? in
                guard let item = try catalogue.item(identity: identity) else { return nil }
                return item.isFolder && item.number != CataloguedItem.root ? item.number : item.parent
            }
        }
        let before = try await account.catalogue.perform { try $0.last("change") }
        let pass = ChangePass(account)
        for number in Set(numbers.compactMap { $0 }) { try await pass.attempt(number) }
        try await finish(pass)
        if try await account.catalogue.perform({ try $0.last("change") }) != before { signal() }
        return !numbers.contains(nil)
    }

    /// Ends a pass over individual folders. If the service has deep tags (``DAVServiceKind/hasDeepTags``), first
    /// searches the other folders for missing items, which may have moved.
    private func finish(_ pass: ChangePass) async throws {
        if account.service.hasDeepTags, pass.hasVanished { try await pass.descend() }
        try await pass.finish()
    }
}

extension DAVError {
    /// Whether the error concerns a single folder, so that the other folders can be listed nevertheless.
    var isAboutOneFolder: Bool {
        switch self {
        case .forbidden, .notFound, .notDirectory, .notAllowed, .locked, .truncatedListing, .invalidReply, .status,
            .unavailable:
            true
        default: false
        }
    }
}

/// Folders whose changes do not change the tags of their parent folders, although the service has deep tags
/// (``DAVServiceKind/hasDeepTags``).
enum NoDeepTags {
    /// The text by which the stored traits of a folder on an external storage are recognized.
    static let mount = "\"mount\":\"external\""
}

extension DAVAccount {
    /// The pause between two checks, in seconds.
    var pollInterval: Int { settings.poll ?? service.pollInterval ?? 30 }
}
