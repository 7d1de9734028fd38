import CloudMount
import Exchange
import LinuxSystem
import MountTakeover

/// The service manager (systemd) as the keeper of the mounts. When a service dies, the manager retains its stored
/// descriptors, restarts the service, and passes them to the new process. The unit permits this with
/// `FileDescriptorStoreMax=` and `NotifyAccess=main`.
///
/// Each descriptor of a mount is stored under a separate name, `purvey-KEY-INDEX`. The key denotes the mount. Index 0
/// is a memory file that describes the others (``MountDescription``), and is sent last. Incomplete mounts are dropped.
final class ServiceStore: MountKeeper {
    private let socket: NotifySocket
    private let log: DaemonLog

    private struct Entry {
        let key: UInt64
        let mount: KeptMount

        var names: [String] { ServiceStore.names(key, mount) }
    }

    private struct State {
        /// The mounts that the manager passed to this process and that are not claimed yet.
        var passed: [MountDescription.Kept] = []
        var entries: [String: Entry] = [:]
        var lastKey: UInt64
        var hasEnded = false
    }

    // This lock is held while messages are sent to the manager, so that they are sent in order.
    private let state: Lock<State>

    /// The number of consecutive deaths after which a mount is not resumed, because the mount may cause the crashes.
    private static let deathLimit: UInt64 = 6
    private static let prefix = "purvey-"

    /// Creates the keeper.
    ///
    /// - Parameters:
    ///   - socket: The manager's socket.
    ///   - passed: The descriptors that the manager has stored, with their names.
    init(socket: NotifySocket, passed: [(name: String, descriptor: FileDescriptor)], log: DaemonLog) {
        self.socket = socket
        self.log = log
        // The keys start at the seconds since boot, so that no process reuses a key of an earlier process.
        state = Lock(State(lastKey: UInt64(MountDescription.secondsSinceBoot()) << 20))
        take(passed)
    }

    private func take(_ passed: [(name: String, descriptor: FileDescriptor)]) {
        var found: [UInt64: [Int: FileDescriptor]] = [:]
        for (name, descriptor) in passed {
            guard let (key, index) = Self.place(of: name) else { continue }
            found[key, default: [:]][index] = descriptor
        }
        state.withLock { state in
            for (key, descriptors) in found.sorted(by: { $0.key < $1.key }) {
                state.lastKey = max(state.lastKey, key)
                if let kept = MountDescription.Kept(key, descriptors) {
                    state.passed.append(kept)
                } else {
                    remove(descriptors.keys.map { Self.name(key, $0) })
                }
            }
        }
    }

    // MARK: The mounts of the previous daemon

    func introduce() {}

    func claimMounts() -> [KeptMount] {
        state.withLock { state in
            let passed = state.passed
            state.passed = []
            // The newest mounts are examined first. The manager may still have an older mount of the same domain, if it
            // missed the message about the end of that mount.
            for kept in passed.reversed() {
                guard state.entries[kept.mount.identifier] == nil else {
                    remove(Self.names(kept.key, kept.mount))
                    continue
                }
                let deaths = kept.description.countDeath()
                guard deaths <= Self.deathLimit else {
                    log.warning(
                        "the daemon has died \(deaths) times, each time soon after its start: a mount is given up")
                    abandon(kept)
                    continue
                }
                state.entries[kept.mount.identifier] = Entry(key: kept.key, mount: kept.mount)
            }
            return state.entries.values.map(\.mount)
        }
    }

    func withdraw() {
        state.withLock { state in
            for kept in state.passed { abandon(kept) }
            state.passed = []
        }
    }

    /// Ends a mount that is not resumed, so that no program waits in it.
    private func abandon(_ kept: MountDescription.Kept) {
        MountHandover.abandon(kept.mount)
        remove(Self.names(kept.key, kept.mount))
    }

    // MARK: Mounts

    func hold(_ mount: KeptMount) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if let known = state.entries[mount.identifier] {
                // This is the claimed mount, which the manager has already stored.
                if known.mount.descriptors.elementsEqual(mount.descriptors, by: ===) { return }
                remove(known.names)
            }
            state.lastKey += 1
            let entry = Entry(key: state.lastKey, mount: mount)
            state.entries[mount.identifier] = entry
            do throws(Errno) {
                let description = try MountDescription(of: mount)
                for (index, descriptor) in mount.descriptors.enumerated() {
                    try store(descriptor, entry.names[index + 1])
                }
                try store(description.file, entry.names[0])
            } catch {
                // If the manager still had descriptors of an incomplete mount after the end of this process, programs
                // that use the mount would hang.
                remove(entry.names)
                log.warning("the service manager cannot keep a mount, which will end with this process: \(error)")
            }
        }
    }

    func drop(_ identifier: String) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: identifier) else { return }
            remove(entry.names)
        }
    }

    func want(_ isWanted: Bool) {}

    func end() {
        withdraw()
        state.withLock { $0.hasEnded = true }
        for identifier in state.withLock({ Array($0.entries.keys) }) { drop(identifier) }
    }

    // MARK: Messages to the manager

    private func store(_ descriptor: FileDescriptor, _ name: String) throws(Errno) {
        try socket.send("FDSTORE=1\nFDNAME=\(name)", descriptor)
    }

    private func remove(_ names: [String]) {
        // If the message is lost, the descriptors are removed when the FUSE session or the service ends.
        for name in names { try? socket.send("FDSTOREREMOVE=1\nFDNAME=\(name)") }
    }

    private static func names(_ key: UInt64, _ mount: KeptMount) -> [String] {
        (0...mount.descriptors.count).map { name(key, $0) }
    }

    private static func name(_ key: UInt64, _ index: Int) -> String { "\(prefix)\(key)-\(index)" }

    private static func place(of name: String) -> (key: UInt64, index: Int)? {
        guard name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = UInt64(parts[0]), let index = Int(parts[1]),
            (0...KeptMount.descriptorLimit).contains(index)
        else { return nil }
        return (key, index)
    }
}
