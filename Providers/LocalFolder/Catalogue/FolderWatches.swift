import FileProvider
import Glibc
import LinuxSystem

/// Which folders of a catalogue the kernel watches, and which have to be looked at: those that it told something of, and those
/// that it tells nothing of.
///
/// A folder is watched from before it is looked at: what happens while it is read is told afterwards.
package final class FolderWatches: Sendable {
    fileprivate struct Watch {
        let number: FolderNotices.Number
        let identity: FileStatus.Identity
    }

    /// What may have changed in a folder.
    fileprivate enum Doubt {
        case whole
        /// What these names stand for, and the folder itself.
        case names(Set<FileName>)

        /// With so many, the folder is looked at as a whole.
        private static let mostNames = 1000

        mutating func add(_ name: FileName?) {
            guard case .names(var names) = self else { return }
            // Not two at a time, of which one would be copied.
            self = .whole
            if let name { names.insert(name) }
            if names.count <= Self.mostNames { self = .names(names) }
        }
    }

    fileprivate struct State {
        /// By the folder's number in the catalogue.
        var watches: [Int64: Watch] = [:]
        /// The same the other way round.
        var folders: [FolderNotices.Number: Int64] = [:]
        /// What has changed, or may have.
        var pending: [Int64: Doubt] = [:]
        /// What changes without being told.
        var unwatched: Set<Int64> = []
        /// How many times anything may have changed, and how many of them led to a look at everything.
        var losses = 1
        var settledLosses = 0
        var isLost: Bool { losses > settledLosses }
        /// Whether the provider has signalled changes that the system has not asked for yet.
        var isTold = false
        /// Whether all folders have to be looked at, because another program signalled changes.
        var isWanted = false
        /// There is no room for more watches, for a while.
        var fullUntil: ContinuousClock.Instant?
    }

    /// `nil` where the kernel tells nothing.
    private let watcher: (any FolderWatcher)?
    /// Wakes whoever waits for news when there are to be none any more.
    private let end: EventCounter
    /// Wakes the waiting thread to look at all folders.
    private let wanted: EventCounter
    // Within the catalogue's. Nothing else is called while it is held but what the kernel answers at once.
    private let state = Lock(State())

    /// How long to wait before watching is tried again after there was no room for it.
    private static let fullPause: Duration = .seconds(60)

    init(_ watcher: (any FolderWatcher)?) throws(Errno) {
        self.watcher = watcher
        end = try EventCounter()
        wanted = try EventCounter()
    }

    // MARK: What is to be looked at

    /// Rounds of looking: what is found out about one folder may send to another.
    private static let mostRounds = 100

    /// Takes what the kernel has told, and has every folder looked at that may have changed.
    ///
    /// - Parameters:
    ///   - listed: gives all folders, for when anything may have changed.
    ///   - look: looks at a folder, and tells whether something was found to have changed.
    /// - Returns: whether anything has changed. After a failure, what was left is looked at the next time.
    func look<Failure>(
        listed: () throws(Failure) -> [Int64], at look: (Int64) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        takeNotices()
        let losses = state.withLock { $0.isLost || watcher == nil ? $0.losses : nil }
        if let losses {
            let folders = try listed()
            state.withLock { state in
                for folder in folders { state.pending[folder] = .whole }
                state.settledLosses = max(state.settledLosses, losses)
            }
        } else {
            state.withLock { state in
                for folder in state.unwatched { state.pending[folder] = .whole }
            }
        }
        var hasChanged = false
        for _ in 0..<Self.mostRounds {
            let folders = pending
            if folders.isEmpty { break }
            for folder in folders where isPending(folder) {
                if try look(folder) { hasChanged = true }
            }
        }
        return hasChanged
    }

    private func takeNotices() {
        guard let watcher else { return }
        // Under the lock, so that nobody else finds neither the notice nor what it was about.
        state.withLock { state in
            for notice in (try? watcher.notices.take()) ?? [.lost] {
                switch notice {
                case .changed(let number, let name):
                    guard let folder = state.folders[number] else { continue }
                    state.pending[folder, default: .names([])].add(name)
                case .ended(let number):
                    guard let folder = state.folders.removeValue(forKey: number) else { continue }
                    state.watches[folder] = nil
                    state.unwatched.insert(folder)
                    state.pending[folder] = .whole
                case .lost: state.losses += 1
                }
            }
        }
    }

    /// The folders that are to be looked at, as far as they are known.
    package var news: [Int64] {
        takeNotices()
        return pending
    }

    private var pending: [Int64] { state.withLock { $0.pending.keys.sorted() } }

    private func isPending(_ folder: Int64) -> Bool { state.withLock { $0.pending[folder] != nil } }

    /// Whether a folder may have changed since it was looked at last.
    func isDoubtful(_ folder: Int64) -> Bool {
        takeNotices()
        return state.withLock { $0.isLost || $0.watches[folder] == nil || $0.pending[folder] != nil }
    }

    /// Whether there is more to be looked at than the kernel will tell of.
    var isPartial: Bool {
        watcher == nil || state.withLock { $0.isLost || !$0.unwatched.isEmpty || !$0.pending.isEmpty }
    }

    /// Anything may have changed.
    func lose() { state.withLock { $0.losses += 1 } }

    /// Something else may be in a folder's place now.
    func doubt(_ folder: Int64) { state.withLock { $0.pending[folder] = .whole } }

    // MARK: Signals

    /// Notes that the provider is about to signal changes, for which the system will ask.
    package func willTell() { state.withLock { $0.isTold = true } }

    /// Notes that the system asks for changes. If the provider has not signalled any, another program has, and may know of a change that
    /// the kernel does not report.
    package func wasAsked() {
        let isNews = state.withLock { state in
            defer { state.isTold = false }
            guard !state.isTold, !state.isWanted else { return false }
            state.isWanted = true
            return true
        }
        if isNews { wanted.raise() }
    }

    /// Whether all folders have to be looked at, because another program signalled changes.
    package var isLookWanted: Bool { state.withLock { $0.isWanted } }

    /// Notes that all folders are about to be looked at.
    package func willLookAtAll() { state.withLock { $0.isWanted = false } }

    // MARK: Looking

    /// A folder is about to be looked at: from now on the kernel tells of it.
    func willLook(at folder: Int64, _ descriptor: FileDescriptor) {
        state.withLock { $0.pending[folder] = nil }
        guard let watcher, let identity = try? descriptor.status().identity else { return miss(folder) }
        let isWatched = state.withLock { state in
            guard state.watches[folder]?.identity == identity else { return false }
            state.unwatched.remove(folder)
            return true
        }
        guard !isWatched else { return }
        guard state.withLock({ $0.fullUntil.map { $0 < .now } ?? true }) else { return miss(folder) }
        do throws(Errno) {
            let number = try watcher.watch(descriptor)
            let former = state.withLock { $0.watch(folder, Watch(number: number, identity: identity)) }
            if let former { watcher.notices.remove(former) }
        } catch {
            if error == .noSpace { state.withLock { $0.fullUntil = .now + Self.fullPause } }
            miss(folder)
        }
    }

    /// The names in a folder that the kernel told of, about to be looked at, where it has told of all that happened since the last
    /// look; `nil` where the whole folder is to be looked at.
    func namesToLook(at folder: Int64, _ descriptor: FileDescriptor) -> Set<FileName>? {
        guard let identity = try? descriptor.status().identity else { return nil }
        return state.withLock { state in
            guard !state.isLost, state.watches[folder]?.identity == identity, !state.unwatched.contains(folder),
                case .names(let names) = state.pending[folder]
            else { return nil }
            state.pending[folder] = nil
            return names
        }
    }

    /// A folder could not be looked at, and is to be again.
    func miss(_ folder: Int64) {
        state.withLock { state in
            state.pending[folder] = nil
            state.unwatched.insert(folder)
        }
    }

    /// A folder is not there any more.
    func forget(_ folder: Int64) {
        let former = state.withLock { state in
            state.pending[folder] = nil
            state.unwatched.remove(folder)
            return state.watches.removeValue(forKey: folder).map { watch in
                state.folders[watch.number] = nil
                return watch.number
            }
        }
        if let former { watcher?.notices.remove(former) }
    }

    // MARK: Waiting

    /// Blocks until the kernel tells something, ``stop()`` or for so many seconds.
    ///
    /// - Parameter isAsleep: to wait without caring for what the kernel tells.
    func wait(atMost seconds: Double, isAsleep: Bool = false) {
        var waited = [pollfd(fd: end.descriptor.rawValue, events: Int16(POLLIN), revents: 0)]
        if !isAsleep {
            waited.append(pollfd(fd: wanted.descriptor.rawValue, events: Int16(POLLIN), revents: 0))
            if let watcher {
                waited.append(pollfd(fd: watcher.notices.descriptor.rawValue, events: Int16(POLLIN), revents: 0))
            }
        }
        // A signal only makes it shorter.
        _ = poll(&waited, nfds_t(waited.count), CInt((max(0, seconds) * 1000).rounded(.up)))
        if !isAsleep { wanted.reset() }
    }

    /// Nobody has the catalogue any more.
    func stop() { end.raise() }
}

extension FolderWatches.State {
    /// Takes note of a watch.
    ///
    /// - Returns: the number of the one that it takes the place of, which is of use to nobody any more.
    fileprivate mutating func watch(_ folder: Int64, _ watch: FolderWatches.Watch) -> FolderNotices.Number? {
        // One folder in two places is told of for the one that was looked at last.
        if let other = folders[watch.number], other != folder {
            watches[other] = nil
            unwatched.insert(other)
        }
        let former = watches.updateValue(watch, forKey: folder)
        folders[watch.number] = folder
        unwatched.remove(folder)
        guard let former, former.number != watch.number else { return nil }
        folders[former.number] = nil
        return former.number
    }
}
