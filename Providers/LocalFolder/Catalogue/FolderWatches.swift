import FileProvider
import Glibc
import LinuxSystem

/// The directories that the kernel watches, and the directories to scan: those with reported changes, and unwatched
/// ones.
///
/// A directory is watched before it is scanned, so that changes during the scan are reported afterwards.
package final class FolderWatches: Sendable {
    fileprivate struct Watch {
        let number: FolderNotices.Number
        let identity: FileStatus.Identity
    }

    /// The part of a directory that may have changed.
    fileprivate enum Doubt {
        case whole
        /// The files with these names, and the directory's own attributes.
        case names(Set<FileName>)

        /// The maximum number of names. If there are more, the whole directory is scanned.
        private static let mostNames = 1000

        mutating func add(_ name: FileName?) {
            guard case .names(var names) = self else { return }
            // Frees the old value first, so that the set is not copied.
            self = .whole
            if let name { names.insert(name) }
            if names.count <= Self.mostNames { self = .names(names) }
        }
    }

    fileprivate struct State {
        /// The watches by the directory's number in the catalogue.
        var watches: [Int64: Watch] = [:]
        /// The watched directories, by the numbers of their watches.
        var folders: [FolderNotices.Number: Int64] = [:]
        /// The directories that may have changed, each with the part that may have changed.
        var pending: [Int64: Doubt] = [:]
        /// The directories that the kernel does not watch.
        var unwatched: Set<Int64> = []
        /// The directories that the kernel has watched since a scan of all their names: writes there are reported.
        var followed: Set<Int64> = []
        /// The names of written files, by directory. The names are dropped when no directory remains to be scanned.
        var written: [Int64: Set<FileName>] = [:]
        /// The number of losses, which are events after which changes in any directory may have been missed; and the
        /// number of losses that a scan of all directories has settled.
        var losses = 1
        var settledLosses = 0
        var isLost: Bool { losses > settledLosses }
        /// Whether the provider has signalled changes that the system has not requested yet.
        var isTold = false
        /// Whether all directories have to be scanned, because another program signalled changes.
        var isWanted = false
        /// The instant until which no watch is added, because the kernel's limit of watches is reached.
        var fullUntil: ContinuousClock.Instant?
    }

    /// The source of the kernel's reports; `nil` if directories are not watched.
    private let watcher: (any FolderWatcher)?
    /// The event that ends the waiting thread.
    private let end: EventCounter
    /// The event that wakes the waiting thread to scan all directories.
    private let wanted: EventCounter
    // May be locked while the catalogue's lock is held. Only system calls that do not block are made under this lock.
    private let state = Lock(State())

    /// The pause before watches are added again, after the kernel's limit was reached.
    private static let fullPause: Duration = .seconds(60)

    init(_ watcher: (any FolderWatcher)?) throws(Errno) {
        self.watcher = watcher
        end = try EventCounter()
        wanted = try EventCounter()
    }

    // MARK: Directories to scan

    /// The maximum number of rounds of scanning. Several may be necessary, because the scan of one directory may
    /// require that of another.
    private static let mostRounds = 100

    /// Reads the kernel's reports, and scans every directory that may have changed.
    ///
    /// - Parameters:
    ///   - listed: returns all listed directories. It is called if every one of them may have changed.
    ///   - look: scans a directory, and returns whether it has changed.
    /// - Returns: whether any directory has changed. After an error, the remaining directories are scanned the next
    ///   time.
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
        state.withLock { state in if state.pending.isEmpty { state.written = [:] } }
        return hasChanged
    }

    private func takeNotices() {
        guard let watcher else { return }
        // The reports are read under the lock, so that other threads find each report either in the queue or in
        // `pending`.
        state.withLock { state in
            for notice in (try? watcher.notices.take()) ?? [.lost] {
                switch notice {
                case .changed(let number, let name):
                    guard let folder = state.folders[number] else { continue }
                    state.pending[folder, default: .names([])].add(name)
                case .written(let number, let name):
                    guard let folder = state.folders[number] else { continue }
                    state.pending[folder, default: .names([])].add(name)
                    state.noteWrite(of: name, in: folder)
                case .ended(let number):
                    guard let folder = state.folders.removeValue(forKey: number) else { continue }
                    state.watches[folder] = nil
                    state.missFolder(folder)
                    state.pending[folder] = .whole
                case .lost:
                    state.losses += 1
                    state.followed = []
                }
            }
        }
    }

    /// The known directories that must be scanned.
    package var news: [Int64] {
        takeNotices()
        return pending
    }

    private var pending: [Int64] { state.withLock { $0.pending.keys.sorted() } }

    private func isPending(_ folder: Int64) -> Bool { state.withLock { $0.pending[folder] != nil } }

    /// Whether a directory may have changed since its last scan.
    func isDoubtful(_ folder: Int64) -> Bool {
        takeNotices()
        return state.withLock { $0.isLost || $0.watches[folder] == nil || $0.pending[folder] != nil }
    }

    /// Whether some directories must be scanned because the kernel does not report their changes.
    var isPartial: Bool {
        watcher == nil || state.withLock { $0.isLost || !$0.unwatched.isEmpty || !$0.pending.isEmpty }
    }

    /// Records that all directories may have changed.
    func lose() { state.withLock { $0.losses += 1 } }

    /// Records that another directory may have replaced a given one at its path.
    func doubt(_ folder: Int64) {
        state.withLock { state in
            state.pending[folder] = .whole
            state.followed.remove(folder)
        }
    }

    // MARK: Signals

    /// Records that the provider is about to signal changes. The system will then request them.
    package func willTell() { state.withLock { $0.isTold = true } }

    /// Records that the system requested changes. If the provider has not signalled any, another program caused the
    /// request, and may know of a change that the kernel does not report.
    package func wasAsked() {
        let isNews = state.withLock { state in
            defer { state.isTold = false }
            guard !state.isTold, !state.isWanted else { return false }
            state.isWanted = true
            return true
        }
        if isNews { wanted.raise() }
    }

    /// Whether all directories have to be scanned, because another program signalled changes.
    package var isLookWanted: Bool { state.withLock { $0.isWanted } }

    /// Records that all directories are about to be scanned.
    package func willLookAtAll() { state.withLock { $0.isWanted = false } }

    // MARK: Looking

    /// Begins the scan of a directory, and watches the directory from now on.
    func willLook(at folder: Int64, _ descriptor: FileDescriptor) {
        state.withLock { $0.pending[folder] = nil }
        guard let watcher, let identity = try? descriptor.status().identity else { return miss(folder) }
        let isWatched = state.withLock { state in
            guard state.watches[folder]?.identity == identity else {
                state.followed.remove(folder)
                return false
            }
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

    /// Returns the names in a directory that the kernel reported as changed. The caller must compare them. Returns
    /// `nil` if the reports since the last scan are incomplete, so that the whole directory must be scanned.
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

    /// Records that a directory could not be scanned or cannot be watched, and must be scanned again.
    func miss(_ folder: Int64) {
        state.withLock { state in
            state.pending[folder] = nil
            state.missFolder(folder)
        }
    }

    /// Removes the watch of a directory, for example because the directory does not exist any more.
    func forget(_ folder: Int64) {
        let former = state.withLock { state in
            state.pending[folder] = nil
            state.unwatched.remove(folder)
            state.followed.remove(folder)
            return state.watches.removeValue(forKey: folder).map { watch in
                state.folders[watch.number] = nil
                return watch.number
            }
        }
        if let former { watcher?.notices.remove(former) }
    }

    // MARK: Writes

    /// Records that all names of a directory were compared. If the kernel watched the directory meanwhile, it reports
    /// all later writes.
    func didLook(at folder: Int64) {
        takeNotices()
        state.withLock { state in
            if !state.isLost, state.watches[folder] != nil { state.followed.insert(folder) }
        }
    }

    /// Whether the file with a name may have been written since its last comparison. Writes through a memory map and
    /// through another hard link are not known here.
    func mayBeWritten(_ name: [UInt8], in folder: Int64) -> Bool {
        takeNotices()
        return state.withLock { state in
            guard state.followed.contains(folder), let name = FileName(bytes: name) else { return true }
            return state.written[folder]?.contains(name) ?? false
        }
    }

    // MARK: Waiting

    /// Blocks until the kernel reports a change, until ``wasAsked()`` requests a scan, until ``stop()``, or until a
    /// time limit in seconds.
    ///
    /// - Parameter isAsleep: whether only ``stop()`` and the time limit end the wait.
    func wait(atMost seconds: Double, isAsleep: Bool = false) {
        var waited = [pollfd(fd: end.descriptor.rawValue, events: Int16(POLLIN), revents: 0)]
        if !isAsleep {
            waited.append(pollfd(fd: wanted.descriptor.rawValue, events: Int16(POLLIN), revents: 0))
            if let watcher {
                waited.append(pollfd(fd: watcher.notices.descriptor.rawValue, events: Int16(POLLIN), revents: 0))
            }
        }
        // A signal that interrupts the call only shortens the wait.
        _ = poll(&waited, nfds_t(waited.count), CInt((max(0, seconds) * 1000).rounded(.up)))
        if !isAsleep { wanted.reset() }
    }

    /// Ends the waiting of the thread, because the catalogue is not used any more.
    func stop() { end.raise() }
}

extension FolderWatches.State {
    /// The maximum number of recorded writes in a directory. If there are more, all its files may have been written.
    private static let mostWrites = 1000

    fileprivate mutating func noteWrite(of name: FileName, in folder: Int64) {
        if written[folder, default: []].insert(name).inserted, (written[folder]?.count ?? 0) > Self.mostWrites {
            written[folder] = nil
            followed.remove(folder)
        }
    }

    /// Records that the kernel does not report the changes in a directory.
    fileprivate mutating func missFolder(_ folder: Int64) {
        unwatched.insert(folder)
        followed.remove(folder)
    }

    /// Records a watch.
    ///
    /// - Returns: the number of the directory's former watch, which the caller must remove; `nil` if none is left over.
    fileprivate mutating func watch(_ folder: Int64, _ watch: FolderWatches.Watch) -> FolderNotices.Number? {
        // A directory in two places is reported for the place that was scanned last.
        if let other = folders[watch.number], other != folder {
            watches[other] = nil
            missFolder(other)
        }
        let former = watches.updateValue(watch, forKey: folder)
        folders[watch.number] = folder
        unwatched.remove(folder)
        guard let former, former.number != watch.number else { return nil }
        folders[former.number] = nil
        return former.number
    }
}
