import Foundation
import Glibc
import LinuxSystem
import Secrets

/// Passwords in an encrypted file, with its key in another directory. Several processes of a user may use one store.
///
/// Every call reads the file anew, so that the decrypted items are in memory only while it runs. Changes are ordered by
/// a lock file. Functions block for the disk and for that lock.
///
/// A file that cannot be decrypted is renamed and reported, and never overwritten.
package final class SecretStore: Sendable {
    private let folder: FileDescriptor
    private let items: SecretItemsFile
    private let key: SecretKeyFile
    private let limits: SecretLimits
    private let now: @Sendable () -> Double
    private let report: @Sendable (SecretStoreReport) -> Void
    private let lockWait: Duration

    /// The microseconds between two attempts to lock the store.
    private static let pause: useconds_t = 2_000
    private static let lockName = ".lock"

    /// Opens a store, or creates an empty one. Removes what killed processes have left.
    ///
    /// - Parameters:
    ///   - folder: the directory of the items.
    ///   - keyFolder: another directory for the key.
    ///   - lockWait: the time that a call waits for the lock. A process that was stopped while it holds the lock must
    ///     not block others for ever.
    ///   - now: returns the seconds since 1970.
    ///   - report: is called on the thread of a call.
    /// - Throws: EPERM if a directory belongs to another user, or other users can use it; EINVAL if the directories are
    ///   the same.
    package init(
        folder: FileDescriptor, keyFolder: FileDescriptor, limits: SecretLimits = SecretLimits(),
        lockWait: Duration = .seconds(10),
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        report: @escaping @Sendable (SecretStoreReport) -> Void
    ) throws(Errno) {
        var identities: [FileStatus.Identity] = []
        for folder in [folder, keyFolder] {
            let status = try folder.status()
            guard status.kind == .directory else { throw .notDirectory }
            guard status.owner == geteuid(), status.permissions & 0o077 == 0 else { throw .notPermitted }
            identities.append(status.identity)
            TemporaryName.sweep(folder)
        }
        guard identities[0] != identities[1] else { throw .invalidArgument }
        self.folder = folder
        self.limits = limits
        self.lockWait = lockWait
        self.now = now
        self.report = report
        items = try SecretItemsFile(in: folder, report: report)
        key = try SecretKeyFile(in: keyFolder, report: report)
    }

    // MARK: Calls

    package func add(_ request: AddSecretCall, groups: AccessGroups) throws(SecretError) -> SecretItem {
        let context = context(groups)
        return try change { (table) throws(SecretError) in try table.add(request, context) }
    }

    package func find(_ request: FindSecretsCall, groups: AccessGroups) throws(SecretError) -> [SecretItem] {
        try load().find(request, context(groups))
    }

    package func update(_ request: UpdateSecretsCall, groups: AccessGroups) throws(SecretError) {
        let context = context(groups)
        try change { (table) throws(SecretError) in try table.update(request, context) }
    }

    package func remove(_ request: RemoveSecretsCall, groups: AccessGroups) throws(SecretError) {
        let context = context(groups)
        try change { (table) throws(SecretError) in try table.remove(request, context) }
    }

    private func context(_ groups: AccessGroups) -> SecretTable.Context {
        SecretTable.Context(groups: groups, limits: limits, now: now())
    }

    // MARK: Files

    /// The files as they were read.
    private enum Loaded {
        case table(SecretTable, key: SecretBytes?)
        case keyDamaged(hasItems: Bool)
        case keyMissing
        case itemsDamaged
    }

    private func read() throws(SecretError) -> Loaded {
        do throws(PrivateFile.Unusable) {
            // The items first: a key is on disk before the first items that it encrypts are.
            let sealed = try items.read(limits)
            switch (try key.read(), sealed) {
            case (.none, .none): return .table(SecretTable(), key: nil)
            case (.none, .sealed): return .keyMissing
            case (.damaged, .none): return .keyDamaged(hasItems: false)
            case (.damaged, .sealed): return .keyDamaged(hasItems: true)
            case (.key(let key), .none): return .table(SecretTable(), key: key)
            case (.key(let key), .sealed(let bytes)):
                return SecretItemsFile.open(bytes, key: key).map { .table($0, key: key) } ?? .itemsDamaged
            }
        } catch {
            throw .inputOutput
        }
    }

    /// Reads the items. Needs no lock, because a file is replaced whole, unless a damaged one is set aside.
    private func load() throws(SecretError) -> SecretTable {
        if case .table(let table, _) = try read() { return table }
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        return try loadRepaired().table
    }

    /// Reads the items, and sets damaged files aside. The caller holds the lock.
    private func loadRepaired() throws(SecretError) -> (table: SecretTable, key: SecretBytes?) {
        let loaded = try read()
        do throws(PrivateFile.Unusable) {
            switch loaded {
            case .table(let table, let key): return (table, key)
            case .itemsDamaged: try items.setAside { .itemsDamaged(keptAs: $0) }
            case .keyMissing: try items.setAside { .keyMissing(keptAs: $0) }
            case .keyDamaged(let hasItems):
                // The items first: with the key gone, a crash in between would make them look like those of a lost key.
                if hasItems { try items.setAside { .itemsDamaged(keptAs: $0) } }
                try key.setAside()
            }
        } catch {
            throw .inputOutput
        }
        // The key, if there is one, is read again for the next items.
        guard case .table(let table, let key) = try read() else { throw .inputOutput }
        return (table, key)
    }

    private func change<Result>(
        _ body: (inout SecretTable) throws(SecretError) -> Result
    ) throws(SecretError) -> Result {
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        var (table, existing) = try loadRepaired()
        let result = try body(&table)
        do throws(Errno) {
            let key = if let existing { existing } else { try key.make() }
            try items.write(table, key: key)
        } catch {
            switch error {
            case .noSpace, .quotaExceeded: throw .diskFull
            default:
                report(.failed("the file of passwords", error))
                throw .inputOutput
            }
        }
        return result
    }

    /// Waits for the lock, up to the time limit. It lasts as long as the returned descriptor.
    private func takeLock() throws(SecretError) -> FileDescriptor {
        do throws(Errno) {
            let file = try folder.open(Self.lockName, [.readWrite, .create, .noFollow])
            let deadline = ContinuousClock.now + lockWait
            repeat {
                if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return file }
                let error = Errno.current
                guard error == .wouldBlock || error == .interrupted else { throw error }
                usleep(Self.pause)
            } while ContinuousClock.now < deadline
            report(.failed("the lock of the passwords", .timedOut))
        } catch {
            report(.failed("the lock of the passwords", error))
        }
        throw .unavailable
    }
}
